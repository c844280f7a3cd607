// The simulated Docker Engine beside the recordings of a real one: status, kind of content, keys and types, and words.
import {beforeAll, expect} from 'vitest'
import {readContainerOutput} from '../../src/host/docker/run.js'
import type {HttpResponse} from '../../src/machine/http.js'
import {contradictions, type Shape, shapeOfLines} from '../lab/docker/shapes.js'
import {simulatedLab} from '../lab/docker/simulated-lab.js'
import {check, everyChangeIsSeen} from './checks.js'
import {ofGroup, responseOf} from './corpus.js'
import {askDocker} from './questions/docker.js'

const VERSION = 'only images of Windows have one'
/** Where a difference is right, and why. */
const EXPLAINED = {
  ...Object.fromEntries(['image', 'image-built', 'image-two-tags'].map((name) => [`${name}.OsVersion`, VERSION])),
  'create-no-image-named': 'a real engine makes a container of no image; nobody of ours asks for one',
}

const real = (): Record<string, HttpResponse> =>
  Object.fromEntries(ofGroup('docker').map((entry) => [entry.id.replace('docker/', ''), responseOf(entry)]))
const simulated: Record<string, HttpResponse> = {}

beforeAll(async () => {
  await askDocker(simulatedLab, ({name, response}) => (simulated[name] = response))
})

const shape = ({body, headers, status}: HttpResponse): Shape => {
  const type = headers['content-type'] ?? 'none'
  const text = body.toString('utf8')
  if (type === 'application/json') return [`${status} ${type}`, shapeOfLines(text)]
  // Output comes in frames, cut anywhere. The oldest version that an engine speaks depends on its system.
  const isFrames = (body[0] === 1 || body[0] === 2) && body[1] === 0
  return [
    `${status} ${type}`,
    isFrames ? readContainerOutput(body) : text.replace(/(?<=Minimum .* is )[\d.]+/, 'OLDEST'),
  ]
}

const map = <T>(answers: Record<string, HttpResponse>, read: (answer: HttpResponse) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, read(answer)]))

check('answers the same questions in the same shape', () => {
  expect(contradictions(map(real(), shape), map(simulated, shape), EXPLAINED)).toEqual([])
})

/** Words that differ, and why that is right. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  'build-base-not-there': "the registry's words: those of Microsoft's tell the tag",
  'create-no-image-named': 'a real engine makes a container of no image; nobody of ours asks for one',
  'pull-no-such-tag': "the registry's words: those of Microsoft's tell the tag",
  'pull-other-system': 'an engine for Windows names its own system and build',
  'pull-unreachable-registry': 'on loopback nobody listens; the simulated registry has a name that nobody knows',
  'start-no-program': 'runc and hcsshim say it in their own words (assumption docker-version-strings)',
}

/** What a refusal says, whichever way. */
function said({body}: HttpResponse): string {
  const texts = [...body.toString('utf8').matchAll(/"(?:message|error)":("(?:[^"\\]|\\.)*")/g)]
  return texts
    .map(([, text = '']) => JSON.parse(text) as string)
    .join('|')
    .replaceAll(/(?:registry|mirror)\.example:5000/g, 'REGISTRY')
    .replaceAll(/[\da-f]{64}/g, 'DIGEST')
    .replaceAll(/\b[\da-f]{12}\b/g, 'ID')
}

check('refuses in the same words', () => {
  const [ours, theirs] = [map(simulated, said), map(real(), said)]
  const different = Object.keys(theirs).filter((name) => ours[name] !== theirs[name])
  expect(different.sort()).toEqual(Object.keys(OTHER_WORDS))
  expect(real()['create-no-image-named']?.status).toBe(201)
})

check('was asked what is recorded, and nothing else', () => {
  expect(Object.keys(real()).sort()).toEqual(Object.keys(simulated).sort())
})

everyChangeIsSeen(['docker'])
