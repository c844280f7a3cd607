// What the service manager refuses is told in words; what nobody foresaw stays what it is.
import {expect, it} from 'vitest'
import {Win32Error} from '../../../src/machine/win32.js'
import {attempt} from '../../../src/pipeline/desired/stop-service.js'

const refusedWith = (code: number): Promise<void> =>
  attempt('kubelet', 'started', () => Promise.reject(new Win32Error('StartServiceW', code, 'kubelet')))

it.each([
  [2, 'The program of the service does not exist'],
  [5, 'Access denied'],
  [193, 'damaged, or for another processor'],
  [1058, 'The service is disabled'],
  [1068, 'A service that it depends on does not start'],
  [1069, 'cannot log on'],
  [1072, 'marked for deletion'],
  [1075, 'does not exist'],
])('Windows error %i: %s', async (code, meaning) => {
  await expect(refusedWith(code)).rejects.toMatchObject({
    exitCode: 5,
    fix: expect.stringContaining('sc.exe query kubelet') as string,
    id: 'SERVICE_REFUSED',
    message: 'The service kubelet could not be started',
    reason: expect.stringMatching(`${code}: .*${meaning}`) as string,
  })
})

it('what to do names the service', async () => {
  await expect(refusedWith(1058)).rejects.toMatchObject({
    fix: expect.stringMatching(/^Enable it: "sc config kubelet start= auto"\. /) as string,
  })
})

it('another error is not its business', async () => {
  await expect(refusedWith(87)).rejects.toBeInstanceOf(Win32Error)
})

it('a call that is well is well', async () => {
  await expect(attempt('kubelet', 'started', () => Promise.resolve())).resolves.toBeUndefined()
})
