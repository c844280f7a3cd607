// How to choose the identity of a node and its container runtime. The limits are those of the tables that setup obeys.
import {releaseProblem, testedMinor} from '../../../src/components/releases/windows-support.js'
import {DOCKER_MINOR, NEWEST_MINOR, OLDEST_MINOR} from '../../../src/config/version.js'
import {arrow, card, cardHeight, line, svg, words} from './svg.js'

const SERVERS = {2019: 17_763, 2022: 20_348, 2025: 26_100}
const ANY_PATCH = 99

interface Choice {
  readonly answers: readonly (readonly [answer: string, card: readonly string[]])[]
  readonly question: readonly string[]
}

const CHOICES: readonly Choice[] = [
  {
    answers: [
      [
        'yes',
        [
          'Join with a token',
          'the kubelet gets a certificate, and renews it',
          '`k8s-win token create -Kubeconfig admin.conf`',
          '`k8s-win setup -Server … -TokenFile - -CaCertHash …`',
        ],
      ],
      [
        'no',
        [
          'Pass a kubeconfig of the node',
          'a certificate in it is renewed, a token in it is not',
          '`k8s-win setup -Kubeconfig <file>`',
        ],
      ],
    ],
    question: [
      'cluster-info published?',
      'kubeadm always publishes it',
      '`kubectl -n kube-public`',
      '`get configmap cluster-info`',
    ],
  },
  {
    answers: [
      [
        `from 1.${DOCKER_MINOR + 1}`,
        [
          'containerd',
          'setup installs it, or uses the one that is there;',
          'tested upstream on Windows Server',
          onServers(DOCKER_MINOR + 1, NEWEST_MINOR, isTested),
        ],
      ],
      [
        `1.${OLDEST_MINOR}–1.${DOCKER_MINOR}`,
        [
          'Docker, which must be there',
          'end-of-life: no security fixes; on Windows Server',
          onServers(OLDEST_MINOR, DOCKER_MINOR, runs),
        ],
      ],
    ],
    question: ['Which Kubernetes version?', 'that of the API server', '`kubectl version`'],
  },
]

/** "2019: 1.24–1.34, 2022: 1.24–1.36" */
function onServers(from: number, to: number, fits: (minor: number, build: number) => boolean): string {
  const servers = Object.entries(SERVERS).flatMap(([name, build]) => {
    const minors = Array.from({length: to - from + 1}, (_, index) => from + index).filter((minor) => fits(minor, build))
    const [first, last] = [minors[0], minors.at(-1)]
    if (first === undefined || last === undefined) return []
    return `${name}: 1.${first}${first === last ? '' : `–1.${last}`}`
  })
  return servers.join(', ')
}

function isTested(minor: number, build: number): boolean {
  return testedMinor(minor, build) === minor
}

function runs(minor: number, build: number): boolean {
  return releaseProblem({major: 1, minor, patch: ANY_PATCH, text: `1.${minor}.${ANY_PATCH}`}, build) === undefined
}

const [LEFT, QUESTION, ANSWER, RIGHT] = [16, 262, 366, 784]
/** How far below each other the answers of a question, and the questions, begin. */
const [STEP, ROW] = [108, 222]

export const choicesPicture = (): string =>
  svg({
    body: CHOICES.flatMap(({answers, question}, index) => {
      const top = 16 + index * ROW
      return [
        ...card([LEFT, top, QUESTION - LEFT], question, 'soft'),
        ...answers.flatMap(([answer, lines], at) => {
          const y = top + at * STEP
          return [
            ...(at === 0 ? [] : [line([LEFT + 40, top + cardHeight(question), LEFT + 40, y + 48])]),
            ...arrow([at === 0 ? QUESTION : LEFT + 40, y + 48, ANSWER, y + 48]),
            words((QUESTION + ANSWER) / 2 - 4, y + 40, answer, {
              anchor: 'middle',
              look: 'accent bold small',
              room: ANSWER - QUESTION - 16,
            }),
            ...card([ANSWER, y, RIGHT - ANSWER], lines, 'panel'),
          ]
        }),
      ]
    }),
    description: CHOICES.map(
      ({answers, question}) =>
        `${question.join(' ')} ${answers.map(([answer, lines]) => `${answer}: ${lines.join('. ')}.`).join(' ')}`,
    )
      .join(' ')
      .replaceAll('`', ''),
    height: CHOICES.length * ROW,
    title: 'How to choose: token or kubeconfig, containerd or Docker',
  })
