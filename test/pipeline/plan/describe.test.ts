import {describe, expect, test} from 'vitest'
import {buildContext} from '../../../src/artifacts/build-context.js'
import {describeChanges} from '../../../src/pipeline/plan/describe.js'
import type {RecordedChange} from '../../../src/pipeline/plan/record.js'
import type {ServiceConfig} from '../../../src/machine/win32.js'

const told = (...changes: readonly RecordedChange[]): string[] =>
  describeChanges(changes, {decided: (text) => text, digestOf: () => 'sha256:abc'})

const call = (name: Extract<RecordedChange, {kind: 'win32'}>['call'], ...args: unknown[]): RecordedChange => ({
  args,
  call: name,
  kind: 'win32',
})
const docker = (method: string, path: string, body: Buffer | string = ''): RecordedChange => ({
  body: Buffer.from(body),
  kind: 'request',
  method,
  pipe: true,
  url: `http://docker/v1.41${path}`,
})

const CONFIG: ServiceConfig = {
  account: 'LocalSystem',
  dependencies: ['docker'],
  description: 'An agent.',
  displayName: 'kubelet',
  failureActions: {resetAfterSeconds: 60, restartDelaysMs: [1000, 2000]},
  failureFlag: true,
  imagePath: String.raw`"C:\my k\kubelet.exe" --windows-service "--v=a b"`,
  startType: 'automatic',
}

describe('a plan in words', () => {
  test('review U11: a service is shown as the lines of sc.exe that are equivalent', () => {
    expect(told(call('createService', 'kubelet', CONFIG), call('startService', 'kubelet'))).toEqual([
      String.raw`equivalent to: sc.exe create kubelet binPath= "\"C:\my k\kubelet.exe\" --windows-service \"--v=a b\"" start= auto depend= docker obj= LocalSystem DisplayName= kubelet`,
      'equivalent to: sc.exe description kubelet "An agent."',
      'equivalent to: sc.exe failure kubelet reset= 60 actions= restart/1000/restart/2000',
      'equivalent to: sc.exe failureflag kubelet 1',
      'equivalent to: sc.exe start kubelet',
    ])
  })

  test('of a service that is changed only what is other is reported', () => {
    const change = {
      ...call('changeService', 'kubelet', CONFIG),
      previous: {...CONFIG, dependencies: [], failureFlag: false},
    }
    expect(told(change as RecordedChange)).toEqual([
      'equivalent to: sc.exe config kubelet depend= docker',
      'equivalent to: sc.exe failureflag kubelet 1',
    ])
  })

  test('registry, environment, access lists and HNS', () => {
    const key = String.raw`SYSTEM\My Key`
    expect(
      told(
        call('setRegistryValue', 'HKLM', key, 'Path', {data: String.raw`%SystemRoot%;C:\k`, type: 'REG_EXPAND_SZ'}),
        call('setRegistryValue', 'HKLM', 'K', 'Environment', {data: ['A=1', 'B=2'], type: 'REG_MULTI_SZ'}),
        call('deleteRegistryValue', 'HKLM', 'K', 'KUBECONFIG'),
        call('broadcastEnvironmentChange'),
        call('setSecurity', String.raw`C:\k`, 'O:BAD:P'),
        call('hnsCall', 'DELETE', '/networks/1', ''),
        call('stopService', 'kubelet'),
        call('deleteService', 'kubelet'),
      ),
    ).toEqual([
      String.raw`equivalent to: reg.exe add "HKLM\SYSTEM\My Key" /v Path /t REG_EXPAND_SZ /d "%SystemRoot%;C:\k" /f`,
      String.raw`equivalent to: reg.exe add HKLM\K /v Environment /t REG_MULTI_SZ /d "A=1\0B=2" /f`,
      String.raw`equivalent to: reg.exe delete HKLM\K /v KUBECONFIG /f`,
      'notify running programs that the environment changed',
      String.raw`set the access list of C:\k to O:BAD:P`,
      'HNSCall DELETE /networks/1',
      'equivalent to: sc.exe stop kubelet',
      'equivalent to: sc.exe delete kubelet',
    ])
  })

  test("programs with their arguments, k8s-win's with what they are given", () => {
    const run = (program: string, args: string[], env = {}, input = ''): RecordedChange => ({
      args,
      env,
      input,
      kind: 'run',
      program,
    })
    expect(
      told(
        run(String.raw`C:\Windows\System32\netsh.exe`, ['advfirewall', 'name=a b']),
        run(String.raw`C:\k\cni\host-local.exe`, [], {CNI_COMMAND: 'ADD'}, '{}'),
      ),
    ).toEqual(['netsh.exe advfirewall "name=a b"', String.raw`C:\k\cni\host-local.exe (CNI_COMMAND=ADD {})`])
  })

  test('Docker: what is run once is reported once, what was left behind is removed', () => {
    const body = JSON.stringify({
      Cmd: ['cmd', '/c', 'ver'],
      HostConfig: {NetworkMode: 'none'},
      Image: 'nanoserver:1809',
    })
    expect(
      told(
        docker('DELETE', '/containers/left?force=true'),
        docker('POST', '/images/create?fromImage=nanoserver&tag=1809'),
        docker('POST', '/images/create?fromImage=nanoserver&tag=sha256%3Aab'),
        docker('POST', '/containers/create', body),
        docker('POST', '/containers/1/start'),
        docker('POST', '/containers/1/wait'),
        docker('DELETE', '/containers/1?force=true'),
        docker('POST', '/images/nanoserver:1809/tag?repo=nanoserver&tag=latest'),
        docker('DELETE', '/images/old:1'),
        docker('POST', '/build?t=pause%3Alatest', buildContext({Dockerfile: 'FROM a\nCMD b\n'})),
      ),
    ).toEqual([
      'docker rm --force left',
      'docker pull nanoserver:1809',
      'docker pull nanoserver@sha256:ab',
      'docker run --rm --network none nanoserver:1809 cmd /c ver',
      'docker tag nanoserver:1809 nanoserver:latest',
      'docker rmi old:1',
      'docker build --tag pause:latest -\n+FROM a\n+CMD b',
    ])
  })

  test('the cluster', () => {
    const request = (method: string, path: string, body = ''): RecordedChange => ({
      body: Buffer.from(body),
      kind: 'request',
      method,
      pipe: false,
      url: `https://server:6443${path}`,
    })
    expect(
      told(
        request('DELETE', '/api/v1/nodes/win-1'),
        request('PATCH', '/api/v1/nodes/win-1', '{"a":1}'),
        request('POST', '/api/v1/other?token=secret', '{}'),
      ),
    ).toEqual([
      'kubectl delete node win-1',
      String.raw`kubectl patch node win-1 --patch "{\"a\":1}"`,
      'POST https://server:6443/api/v1/other?token=*** {}',
    ])
  })

  test('a download with its size and digest', () => {
    const download: RecordedChange = {bytes: 88_400_000, kind: 'download', to: 'C:\\k\\a.tgz', url: 'https://a/b'}
    expect(told(download)).toEqual([String.raw`download https://a/b (88 MB) to C:\k\a.tgz, to be sha256:abc`])
  })
})
