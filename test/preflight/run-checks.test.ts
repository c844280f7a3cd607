// All checks together: side by side, all problems at once, any of them ignored, none able to hide the others.
import {describe, expect, it} from 'vitest'
import {CHECK_IDS} from '../../src/config/check-ids.js'
import {DeadlineError} from '../../src/machine/clock.js'
import type {Effect} from '../../src/machine/intercept.js'
import {Win32Error} from '../../src/machine/win32.js'
import type {World} from '../../src/simulator/world.js'
import {CHECKS} from '../../src/preflight/index.js'
import {checksOf} from '../fixtures/checks-of.js'
import {checksOn, notPassed} from './checks-rig.js'

const onMemory = ({what}: Effect): boolean => what === 'memory'

describe('the list', () => {
  it('has at least thirty checks, each named once, and all names can be ignored', () => {
    const ids = CHECKS.map(({id}) => id)
    expect(ids.length).toBeGreaterThanOrEqual(30)
    expect([...ids].sort()).toEqual([...CHECK_IDS].sort())
    expect(new Set(CHECKS.map(({title}) => title)).size).toBe(ids.length)
  })
})

describe('problems', () => {
  it('are reported together, each once', async () => {
    const look = await checksOn({
      sicken(world) {
        world.docker.mode = 'linux'
        world.hns.version = {Major: 9, Minor: 1}
        world.os.listening.push('tcp/10250', 'udp/4789')
        world.os.ubr = 1
      },
    })
    expect(look.problems.map(({id}) => id).sort()).toEqual([
      'DOCKER_LINUX_MODE',
      'HNS_TOO_OLD',
      'PORT_TAKEN',
      'PORT_TAKEN',
      'WINDOWS_PATCH_MISSING',
    ])
  })

  it('review U2-27: a port that is taken names the program and its PID, where Windows says so', async () => {
    const sicken = (world: World): number => world.os.listening.push('tcp/10250')
    const [named, unnamed] = [
      await checksOn({sicken}),
      await checksOn({
        faults: [
          {
            at: ({what}) => what === 'portOwners',
            does: new Win32Error('GetExtendedTcpTable', 5, 'tcp'),
            when: 'before',
          },
        ],
        sicken,
      }),
    ]
    expect(named.problems).toMatchObject([
      {id: 'PORT_TAKEN', reason: expect.stringContaining('other.exe (PID 8888)') as string},
    ])
    expect(unnamed.problems).toMatchObject([
      {id: 'PORT_TAKEN', reason: expect.stringContaining('another program') as string},
    ])
  })

  it.each(['docker', 'hns'])('of %s that is not there are reported once, not by all who would ask it', async (name) => {
    const look = await checksOn({
      sicken(world) {
        Reflect.deleteProperty(world.services, name)
        if (name === 'hns') world.os.features = {containers: false}
      },
    })
    const seen = {
      docker: {docker: 'fail'},
      hns: {'containers-feature': 'fail'},
    }
    expect(notPassed(look)).toEqual(seen[name as keyof typeof seen])
    expect(look.problems).toHaveLength(1)
  })
})

describe('a check that is ignored', () => {
  it('warns, says so, and keeps its fix; the others fail as ever', async () => {
    const look = await checksOn({
      given: {'ignore-check': ['ports,memory']},
      sicken(world) {
        world.os.listening.push('tcp/10250', 'udp/4789')
        world.os.ubr = 1
      },
    })
    expect(look.problems.map(({id}) => id)).toEqual(['WINDOWS_PATCH_MISSING'])
    expect(look.check('ports')).toMatchObject({
      fix: expect.stringMatching(/netstat/) as string,
      message: 'Port 10250/tcp is already in use; Port 4789/udp is already in use (ignored: --ignore-check ports)',
      result: 'warn',
    })
    expect(look.check('memory').result).toBe('pass')
  })
})

describe('a check that does not finish', () => {
  it('is given up after a minute, and the others are reported', async () => {
    const look = await checksOn({faults: [{at: onMemory, does: 'hang', when: 'before'}]})
    expect(notPassed(look)).toEqual({memory: 'fail'})
    expect(look.problems[0]).toMatchObject({cause: expect.any(DeadlineError) as Error, id: 'DEADLINE_PASSED'})
    expect(look.check('memory').durationMs).toBe(60_000)
    expect(look.results).toHaveLength(checksOf('docker').length)
  })

  it('that Windows refuses is reported with the call and its code', async () => {
    const refusal = new Win32Error('GlobalMemoryStatusEx', 5, 'memory')
    const look = await checksOn({faults: [{at: onMemory, does: refusal, when: 'before'}]})
    expect(notPassed(look)).toEqual({memory: 'fail'})
    expect(look.problems[0]?.message).toContain('GlobalMemoryStatusEx')
  })

  it('that breaks by a bug of k8s-win is reported as one, can be ignored, and hides nothing', async () => {
    const faults = [{at: onMemory, does: new TypeError('x is not a function'), when: 'before'} as const]
    const look = await checksOn({faults, sicken: (world) => (world.os.ubr = 1)})
    expect(notPassed(look)).toEqual({memory: 'fail', 'windows-patch': 'fail'})
    expect(look.problems.map(({exitCode, id}) => ({exitCode, id}))).toEqual([
      {exitCode: 3, id: 'WINDOWS_PATCH_MISSING'},
      {exitCode: 1, id: 'CHECK_BROKEN'},
    ])
    const ignored = await checksOn({faults, given: {'ignore-check': ['memory']}})
    expect(ignored.problems).toEqual([])
    expect(ignored.check('memory').result).toBe('warn')
  })
})
