// What the simulated Docker Engine says of itself.
import type {World} from '../world.js'

const BUILT = {BuildTime: '2021-10-12T20:46:22.000000000+00:00', GitCommit: '6b54ff6f17', GoVersion: 'go1.16.12m2'}

export function engineVersion({docker, os}: World): object {
  const {apiVersion, minApiVersion, mode, version} = docker
  const isWindows = mode === 'windows'
  const common = {
    ApiVersion: apiVersion,
    Arch: 'amd64',
    ...BUILT,
    KernelVersion: isWindows
      ? `10.0 ${os.build} (${os.build}.1.amd64fre.rs5_release.180914-1434)`
      : '5.10.16.3-microsoft-standard-WSL2',
    MinAPIVersion: minApiVersion,
    Os: mode,
  }
  return {
    Platform: {Name: isWindows ? 'Mirantis Container Runtime' : 'Docker Engine - Community'},
    Components: [{Name: 'Engine', Version: version, Details: {...common, Experimental: 'false'}}],
    Version: version,
    ...common,
  }
}

export function engineInfo({docker, os}: World): object {
  const {containers, images, mode, version: engine} = docker
  const isWindows = mode === 'windows'
  return {
    Architecture: 'x86_64',
    Containers: containers.length,
    ContainersRunning: containers.filter(({state}) => state === 'running').length,
    Driver: isWindows ? 'windowsfilter' : 'overlay2',
    Images: images.length,
    Isolation: isWindows ? 'process' : '',
    Name: os.computerName,
    OSType: mode,
    OSVersion: isWindows ? `10.0.${os.build}.${os.ubr}` : '',
    OperatingSystem: isWindows ? `${os.productName} Version 1809 (OS Build ${os.build}.${os.ubr})` : 'Docker Desktop',
    ServerVersion: engine,
  }
}
