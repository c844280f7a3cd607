// GET /version and /info.
import {readRegistryValue, VERSION_KEY} from '../windows/registry.js'
import type {World} from '../world.js'

const DEFAULT_DATA_ROOT = String.raw`C:\ProgramData\docker`
const BUILT = {BuildTime: '2021-10-12T20:46:22.000000000+00:00', GitCommit: '6b54ff6f17', GoVersion: 'go1.16.12m2'}

/** moby (pkg/parsers) reports "<unknown>" for a missing value. */
function fromRegistry(world: World, name: string): string {
  return String(readRegistryValue(world, VERSION_KEY, name)?.data ?? '<unknown>')
}

export function engineVersion(world: World): object {
  const {docker, os} = world
  const {apiVersion, minApiVersion, mode, version} = docker
  const isWindows = mode === 'windows'
  const common = {
    ApiVersion: apiVersion,
    Arch: 'amd64',
    ...BUILT,
    KernelVersion: isWindows
      ? `10.0 ${os.build} (${fromRegistry(world, 'BuildLabEx')})`
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

export function engineInfo(world: World): object {
  const {docker, os} = world
  const {containers, dataRoot, httpProxy, httpsProxy, images, mode, noProxy, version: engine} = docker
  const isWindows = mode === 'windows'
  return {
    Architecture: 'x86_64',
    Containers: containers.length,
    ContainersRunning: containers.filter(({state}) => state === 'running').length,
    DockerRootDir: isWindows ? (dataRoot ?? DEFAULT_DATA_ROOT) : '/var/lib/docker',
    Driver: isWindows ? 'windowsfilter' : 'overlay2',
    HttpProxy: httpProxy ?? '',
    HttpsProxy: httpsProxy ?? '',
    Images: images.length,
    Isolation: isWindows ? 'process' : '',
    LoggingDriver: docker.loggingDriver ?? 'json-file',
    Name: os.computerName,
    NoProxy: noProxy ?? '',
    OSType: mode,
    OSVersion: isWindows ? `10.0.${os.build}.${os.ubr}` : '',
    OperatingSystem: isWindows
      ? `${os.productName} Version ${fromRegistry(world, 'ReleaseId')} (OS Build ${os.build}.${os.ubr})`
      : 'Docker Desktop',
    ServerVersion: engine,
  }
}
