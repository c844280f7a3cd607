// What is secret, and what is run or believed, is never open to others, not even for one effect: checked after every
// change of whole runs, on hosts of many kinds, also where a run is killed and another one continues.
import fc from 'fast-check'
import {expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import type {Effect} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {isWhole} from '../sample.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const OPEN: Readonly<Record<string, string | undefined>> = {
  'as Windows makes it': undefined,
  'for administrators only': 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)',
  "of a user's": `O:${BOB}D:PAI(A;OICI;FA;;;${BOB})(A;OICI;FA;;;BA)`,
  'open to additions': `O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;CI;DCLC;;;${BOB})`,
  'open to all': 'O:BAD:PAI(A;OICI;0x1301bf;;;AU)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)',
}
const HELD = new Set(["of a user's", 'open to all'])
/** Where everything that is made is for administrators only. */
const GUARDED =
  /^(?:k|node|etc\/kube-flannel|run\/flannel|var\/lib\/cni|var\/lib\/kubelet\/pki|usr\/libexec\/kubernetes)(?:\/|$)/
const CLOSED = /^O:BAD:P?AI(?:\(A;[A-Z]*;FA;;;(?:SY|BA)\)){2}$/

/** Looks at what was made since the host was opened. */
class Guard {
  readonly #before: ReadonlySet<string>
  #looked = ''
  looks = 0

  constructor(readonly host: HostFolder) {
    this.#before = new Set(host.paths)
  }

  async look(effect: Effect, {win32}: Machine): Promise<void> {
    if (effect.kind !== 'change') return
    const made = this.host.paths.filter((name) => !this.#before.has(name))
    // Access lists change with these alone: what was checked under the same ones need not be checked again.
    const state = JSON.stringify([made, this.host.world.security])
    if (state === this.#looked) return
    this.#looked = state
    this.looks++
    for (const name of made) {
      const isGuarded = GUARDED.test(name) || this.#isSecret(name)
      if (!isGuarded) continue
      // Another step may have taken it away meanwhile.
      const [seen] = await win32.survey([{inside: false, path: `C:\\${name.replaceAll('/', '\\')}`}])
      // The kubelet's link to its newest certificate, which is checked itself.
      if (!seen || seen.kind === 'link') continue
      expect(seen.sddl, `${name} after ${effect.what} ${effect.args.join(' ')}`).toMatch(CLOSED)
    }
  }

  /** Wherever a copy of the key is. */
  #isSecret(name: string): boolean {
    const content = this.host.filesBut((one) => one !== name)[name] ?? ''
    return Buffer.from(content, 'base64').includes('client-key-data')
  }
}

const GIVEN: Readonly<Record<string, GivenOptions>> = {
  'a new base directory': {'base-dir': String.raw`C:\node`, kubeconfig: String.raw`C:\k\kubeconfig`},
  'an identity each': {
    'flanneld-kubeconfig': String.raw`C:\k\kubeconfig`,
    'kube-proxy-kubeconfig': String.raw`C:\k\kubeconfig`,
    'kubelet-kubeconfig': String.raw`C:\k\kubeconfig`,
  },
  'the base directory as it is': {},
}

/** The folder itself, or the kubeconfig in it, which is read first. */
const REFUSED = ['KUBECONFIG_UNTRUSTED', 'PARENT_OPEN_TO_OTHERS']

test('nothing is ever open to others', async () => {
  const kinds = fc.record({
    crashAt: fc.integer({max: 400, min: 1}),
    given: fc.constantFrom(...Object.keys(GIVEN)),
    when: fc.constantFrom('before' as const, 'after' as const),
    start: fc.constantFrom(...Object.keys(OPEN)),
  })
  await fc.assert(
    fc.asyncProperty(kinds, async ({crashAt, given, start, when}) => {
      const host = await HostFolder.fresh((world) => {
        const sddl = OPEN[start]
        if (sddl !== undefined) world.security[String.raw`c:\k`] = sddl
      })
      const guard = new Guard(host)
      const after = (effect: Effect, machine: Machine): Promise<void> => guard.look(effect, machine)
      await setupOn(host.dir, GIVEN[given], {
        after,
        wrap: (machine) => faultyMachine(machine, [{at: crashAt, does: 'crash', when}]),
      }).catch((error: unknown) => {
        if (!(error instanceof CrashError)) throw error
      })
      const {result} = await setupOn(host.dir, GIVEN[given], {after})
      // review S4: what others hold is refused, and so is a kubeconfig in it.
      expect(HELD.has(start) ? REFUSED : [undefined]).toContain(result.error?.id)
      expect(guard.looks).toBeGreaterThan(HELD.has(start) ? -1 : 20)
    }),
    {numRuns: isWhole ? 40 : 4},
  )
}, 120_000)
