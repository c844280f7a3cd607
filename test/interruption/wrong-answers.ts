// What can go wrong with an effect: it is refused, it hangs, or its answer is wrong though of the right type.
import {FileError} from '../../src/machine/files.js'
import {HttpError} from '../../src/machine/http.js'
import type {Effect} from '../../src/machine/intercept.js'
import {ProgramNotStartedError} from '../../src/machine/run.js'
import {Win32Error} from '../../src/machine/win32.js'

export const MISHAPS = ['error', 'hang', 'wrong', 'garbage'] as const
export type Mishap = (typeof MISHAPS)[number]

/** As the real machine rejects; none of these causes passes by itself. Sockets never reject. */
export function refusalOf({args, via, what}: Effect): Error | undefined {
  const [subject = ''] = args
  switch (via) {
    case 'files': {
      return new FileError(what, subject, 'EIO')
    }
    case 'http': {
      return new HttpError(subject, 'ECONNREFUSED', `connect ECONNREFUSED ${subject}`)
    }
    case 'net': {
      return undefined
    }
    case 'run': {
      return new ProgramNotStartedError(what, 'EACCES')
    }
    case 'win32': {
      return new Win32Error(what, 5, args.join(' '))
    }
  }
}

const nothing = async (): Promise<void> => {}
async function* noBytes(): AsyncGenerator<Uint8Array> {}
async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

type Answer = () => unknown
const EVERYBODY = 'O:WDD:(A;;FA;;;WD)'
const DIGITS = '0'.repeat(64)
const download = (status: number) => ({bytes: 7, digest: DIGITS, status})

/** Nothing where something is; and, as garbage, something that makes no sense. A change that answers without a change. */
const WRONG: Readonly<Record<string, {garbage?: Answer; wrong?: Answer}>> = {
  'files append': {wrong: nothing},
  'files digest': {wrong: () => DIGITS},
  'files list': {garbage: () => ['rubbish', '\u0000'], wrong: () => []},
  'files makeDirectory': {wrong: nothing},
  'files read': {garbage: () => Buffer.from('\u0000rubbish'), wrong: () => undefined},
  'files readChunks': {garbage: () => bytes('\u0000rubbish'), wrong: noBytes},
  'files remove': {wrong: nothing},
  'files rename': {wrong: nothing},
  'files status': {garbage: () => ({kind: 'other', modifiedMs: 0, size: -1}), wrong: () => undefined},
  'files write': {wrong: nothing},
  'files writeChunks': {wrong: () => 0},
  'http DOWNLOAD': {garbage: () => download(200), wrong: () => download(404)},
  'net isPortFree': {wrong: () => false},
  run: {
    garbage: () => ({durationMs: 1, exitCode: 0, stderr: '', stdout: 'rubbish'}),
    wrong: () => ({durationMs: 1, exitCode: 1, stderr: 'rubbish', stdout: ''}),
  },
  'win32 accountSid': {wrong: () => 'S-1-5-18'},
  'win32 adapters': {wrong: () => []},
  'win32 broadcastEnvironmentChange': {wrong: nothing},
  'win32 changeService': {wrong: nothing},
  'win32 computerName': {garbage: () => '\u0000?', wrong: () => ''},
  'win32 createService': {wrong: nothing},
  'win32 deleteAtRestart': {wrong: nothing},
  'win32 deleteRegistryValue': {wrong: nothing},
  'win32 deleteService': {wrong: nothing},
  'win32 dependentServices': {garbage: () => ['rubbish'], wrong: () => []},
  'win32 drive': {
    garbage: () => ({fileSystem: '', freeBytes: -1, kind: 'unknown', totalBytes: NaN}),
    wrong: () => undefined,
  },
  'win32 hnsCall': {
    garbage: () => ({hresult: 0, response: '{"Success":true,"Output":"rubbish"}'}),
    wrong: () => ({hresult: -2_147_024_891, response: ''}),
  },
  'win32 isAdministrator': {wrong: () => false},
  'win32 memory': {wrong: () => ({availableBytes: 0, totalBytes: 0})},
  'win32 peerProcess': {garbage: () => -1, wrong: () => undefined},
  'win32 processPaths': {garbage: () => [{id: -1}], wrong: () => []},
  'win32 queryServiceConfig': {wrong: () => undefined},
  'win32 queryServiceStatus': {
    garbage: () => ({processId: 0, serviceExitCode: 1, state: 'stopped', win32ExitCode: 1067}),
    wrong: () => undefined,
  },
  'win32 registryKeyExists': {wrong: () => true},
  'win32 registryKeys': {garbage: () => ['rubbish'], wrong: () => []},
  'win32 registryValue': {garbage: () => ({data: 'rubbish', type: 'REG_SZ'}), wrong: () => undefined},
  'win32 registryValues': {garbage: () => ({rubbish: {data: '||', type: 'REG_SZ'}}), wrong: () => ({})},
  'win32 restartWindows': {wrong: nothing},
  'win32 routes': {wrong: () => []},
  'win32 securityOf': {garbage: () => 'rubbish', wrong: () => EVERYBODY},
  'win32 setRegistryValue': {wrong: nothing},
  'win32 setSecurity': {wrong: nothing},
  'win32 startService': {wrong: nothing},
  'win32 stopService': {wrong: nothing},
  'win32 survey': {wrong: () => []},
  'win32 systemUuid': {garbage: () => '\u0000?', wrong: () => undefined},
  'win32 takeMutex': {wrong: () => undefined},
}

/** Undefined where an effect of this kind cannot be answered so. */
export function answerOf({via, what}: Effect, mishap: 'garbage' | 'wrong'): Answer | undefined {
  if (via === 'http' && what !== 'DOWNLOAD') {
    const body = mishap === 'wrong' ? '{}' : '<html>rubbish'
    return () => ({body: Buffer.from(body), chunks: bytes(body), headers: {}, status: 200})
  }
  return WRONG[via === 'run' ? via : `${via} ${what}`]?.[mishap]
}
