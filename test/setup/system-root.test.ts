// A Windows that is not in C:\\Windows: its programs are found by the registry, not by habit.
import {renameSync} from 'node:fs'
import {expect, test} from 'vitest'
import {setupOn} from './in-process.js'
import {SimulatedHost} from './simulated-host.js'

const VERSION_KEY = String.raw`HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`

async function windowsIn(folder: string): Promise<SimulatedHost> {
  const root = `C:\\${folder}`
  const host = await SimulatedHost.make((world) => {
    world.registry[VERSION_KEY] = {...world.registry[VERSION_KEY], SystemRoot: {data: root, type: 'REG_SZ'}}
    world.environment = JSON.parse(
      JSON.stringify(world.environment).replaceAll(String.raw`C:\\Windows`, JSON.stringify(root).slice(1, -1)),
    ) as typeof world.environment
    for (const {config} of Object.values(world.services)) {
      Object.assign(config, {imagePath: config.imagePath.replace(/^C:\\Windows/i, root)})
    }
  })
  renameSync(host.file('Windows'), host.file(folder))
  return host
}

test('review N9: setup, planned and done, runs the programs of the registry’s SystemRoot', async () => {
  const host = await windowsIn('WINNT')
  const planned = await setupOn(host.dir, {}, {dryRun: true})
  const rules = planned.result.steps.find(({id}) => id === 'firewall-rules')
  expect([planned.result.outcome, rules?.changes[0]]).toEqual(['planned', expect.stringMatching(/^netsh\.exe advf/)])

  const {result} = await setupOn(host.dir)
  expect([result.exitCode, result.error]).toEqual([0, undefined])
  const programs = host.transcript.filter(({via}) => via === 'run').map(({what}) => what)
  expect(programs.filter((program) => program.endsWith('netsh.exe')).length).toBeGreaterThan(1)
  expect(new Set(programs.filter((program) => /netsh|windows/i.test(program)))).toEqual(
    new Set([String.raw`C:\WINNT\System32\netsh.exe`]),
  )
  expect(host.has('Windows')).toBe(false)
})
