import {describe, expect, it} from 'vitest'
import {openEventLog, readEvent} from '../../src/host/event-log.js'
import {Win32Error} from '../../src/machine/win32.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'

describe('an event of Windows', () => {
  it('is read by its numbers and data', () => {
    const xml =
      "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Service Control Manager' Guid='{555908d1}' EventSourceName='Service Control Manager'/><EventID Qualifiers='49152'>7031</EventID><Version>0</Version><Level>2</Level><TimeCreated SystemTime='2026-01-31T12:00:00.1234567Z'/><Channel>System</Channel></System><EventData><Data Name='param1'>kubelet &amp; co &lt;1&gt; &#233;&#x41;</Data><Data Name='param2'>3</Data></EventData></Event>"
    expect(readEvent(xml)).toEqual({
      at: '2026-01-31T12:00:00.1234567Z',
      data: ['param1: kubelet & co <1> \u00E9A', 'param2: 3'],
      id: 7031,
      level: 2,
      provider: 'Service Control Manager',
    })
  })

  it('may have data without names, in elements of its own, or none', () => {
    expect(
      readEvent('<Event><System></System><EventData><Data>a</Data><Data>b</Data></EventData></Event>').data,
    ).toEqual(['a', 'b'])
    const own = '<Event><System></System><UserData><Own><Code>0x80070005</Code></Own></UserData></Event>'
    expect(readEvent(own).data).toEqual(['Code: 0x80070005'])
    expect(readEvent('no XML at all')).toEqual({at: '', data: [], id: 0, level: 0, provider: ''})
  })
})

describe('the event logs of a simulated host', () => {
  it('hold what machine.json has in them, the newest first', async () => {
    const host = HostFolder.empty()
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    const event = {data: ["a 'quoted' <word> & more"], id: 1, level: 2, provider: 'docker'}
    host.edit((world) => {
      world.os.eventLogs = {Application: [1, 3, 2].map((at) => ({...event, at: at * 1000}))}
    })
    const {win32} = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const log = openEventLog(win32)
    const found = await log.newest('application', 2)
    expect(found).toEqual([3, 2].map((at) => ({...event, at: new Date(at * 1000).toISOString()})))
    expect(await log.newest('System', 10)).toEqual([])
    expect(await log.newest('Application', 9, {ids: [], levels: [1]})).toEqual([])
    expect(await log.newest('Application', 9, {ids: [1], levels: []})).toHaveLength(3)
    await expect(log.newest('Nonsense', 1)).rejects.toEqual(new Win32Error('EvtQuery', 15_007, 'Nonsense'))
    host.discard()
  })
})
