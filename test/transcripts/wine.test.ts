// Wine's programs: our decoder beside Python's codecs (wine-texts.json), and the simulator's codes beside theirs.
import {readFileSync} from 'node:fs'
import {expect} from 'vitest'
import {decodeOutput} from '../../src/machine/real/decode.js'
import {runTaskkill} from '../../src/simulator/programs/taskkill.js'
import {codeOf, makeNode, serviceConfig} from '../simulator/node.js'
import {check, everyChangeIsSeen} from './checks.js'
import {bytesOf, CODE_PAGES, idsOf, recording} from './corpus.js'
import {WINE_CALLS} from './questions/wine.js'

const TEXTS = JSON.parse(readFileSync(new URL('wine-texts.json', import.meta.url), 'utf8')) as Record<string, string>
const ASKED = Object.entries(WINE_CALLS).flatMap(([name, {call, languages}]) =>
  languages.map((language) => ({call, id: `wine/${language}/${name}`, name})),
)

check('every question has its recording', () => {
  expect(idsOf('wine').sort()).toEqual(ASKED.map(({id}) => id).sort())
})

for (const {id, name} of ASKED.filter((one) => !one.name.startsWith('sc-'))) {
  check(`is decoded: ${id}`, async () => {
    const entry = recording(id)
    const part = name.startsWith('cmd-') ? 'err' : 'out'
    expect(entry.parts).toEqual([part])
    const decoded = await decodeOutput(bytesOf(entry, part), async () => CODE_PAGES[entry.encoding])
    expect(decoded).toBe(TEXTS[`${id}.${part}`])
    expect(decoded.trim()).not.toBe('')
  })
}

for (const {call, id} of ASKED.filter(({name}) => name.startsWith('taskkill-'))) {
  check(`the simulated taskkill ends with the same code: ${id}`, async () => {
    const {stage} = await makeNode()
    const {exitCode} = await runTaskkill(stage, call.args)
    expect(exitCode).toBe(recording(id).exitCode)
  })
}

check('the simulated service manager refuses with the same codes', async () => {
  const {win32} = await makeNode()
  const config = serviceConfig(String.raw`C:\nonsense.exe`)
  const codes = {
    create: await codeOf(win32.createService('lab', config)),
    'create-again': await codeOf(win32.createService('lab', config)),
    'start-no-file': await codeOf(win32.startService('lab')),
    'stop-not-started': await codeOf(win32.stopService('lab')),
    delete: await codeOf(win32.deleteService('lab')),
    'delete-again': await codeOf(win32.deleteService('lab')),
  }
  const real = Object.keys(codes).map((name) => [name, recording(`wine/en/sc-${name}`).exitCode])
  expect(codes).toEqual(Object.fromEntries(real))
})

// Of net, reg, cmd and tasklist nothing of k8s-win asks anything: samples for the decoder.
everyChangeIsSeen(['wine'], ({id, what}) => what === 'exitCode' && !/(?:sc|taskkill)-/.test(id))
