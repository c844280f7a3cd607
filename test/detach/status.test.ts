// status, while a run continues as a service, or waits for a restart of Windows.
import {expect, test} from 'vitest'
import {statusLines} from '../../src/output/status/status-text.js'
import {openScreen} from '../../src/output/screen.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import {FakeTerminal} from '../output/fake-terminal.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, PROFILE, serve, session, SMALL} from './detached.js'

const look = async ({dir}: HostFolder, baseDir?: string) =>
  (await statusOn(dir, {...(baseDir !== undefined && {baseDir}), profile: PROFILE})).document

test('a setup that a service continues is not called failed', async () => {
  const host = await hostWithProgram()
  await session(host)
  const document = await look(host)
  expect(document).toMatchObject({exitCode: 8, handedOver: {command: 'setup', state: 'running'}})
  expect(document.problems[0]).toMatchObject({command: null, id: 'SETUP_UNFINISHED'})
  expect(document.problems[0]?.cause).toContain('k8s-win-run')
  expect(document.problems[0]?.next).toContain('k8s-win attach')
  const text = statusLines(document, openScreen(new FakeTerminal(120))).join('\n')
  expect(text).toContain('Open run: the service k8s-win-run continues setup; follow it with "k8s-win attach"')
  await serve(host)
  expect(await look(host)).toMatchObject({exitCode: 0, problems: []})
  expect(await look(host)).not.toHaveProperty('handedOver')
})

test('one that waits for a restart', async () => {
  const host = await hostWithProgram()
  host.edit(withoutContainers)
  const given = {...SMALL, 'enable-features': true}
  await session(host, {given, isDetached: false, launcher: 'azure-cse'})
  const document = await look(host)
  expect(document).toMatchObject({
    handedOver: {command: 'setup', state: 'at-next-start'},
    launcher: {name: 'azure-cse', outcome: 'restart-required'},
  })
  const problem = document.problems.find(({id}) => id === 'SETUP_UNFINISHED')
  expect(problem).toMatchObject({command: null, next: 'Restart Windows: the run continues after it.'})
  const text = statusLines(document, openScreen(new FakeTerminal(120))).join('\n')
  expect(text).toContain('continues setup when Windows starts the next time')
})

test('a reset of a healthy node; another base directory has no such run', async () => {
  const host = await hostWithProgram()
  await session(host, {isDetached: false})
  await session(host, {command: 'reset', reset: {purge: true}})
  const handedOver = {command: 'reset', state: 'running'}
  expect(await look(host)).toMatchObject({handedOver, problems: []})
  expect(await look(host, String.raw`C:\other`)).not.toHaveProperty('handedOver')
})

test('a service whose request cannot be read is not one', async () => {
  const host = await hostWithProgram()
  await session(host)
  host.put(String.raw`k\k8s-win\run.json`, '{')
  expect(await look(host)).not.toHaveProperty('handedOver')
})
