// NOT CRICTL: a stand-in for tests that asks a real containerd through the CRI and prints what crictl 1.36.0 prints, held
// against recordings of the real one (test/transcripts/crictl). Only the commands that k8s-win uses, and only JSON.
// The variable CRI_PROTO names the file api.proto of k8s.io/cri-api.
import {readFileSync} from 'node:fs'
import {parseArgs} from 'node:util'
import {parse} from 'yaml'
import {type Answer, type Cri, openCri, RpcError, type Service} from './cri.js'

/** Ends the program with this message. */
class Failure extends Error {}

interface Call {
  readonly flags: Readonly<Record<string, unknown>>
  readonly images: Ask
  readonly names: readonly string[]
  readonly runtime: Ask
}
type Ask = (method: string, request?: object, isPatient?: boolean) => Promise<Answer>

const DEFAULT_TIMEOUT_S = 2
const OUTPUT = {output: {short: 'o', type: 'string'}} as const
const print = (text: string): void => void process.stdout.write(`${text}\n`)
const quoted = (text: string): string => JSON.stringify(text)

function log(level: 'fatal' | 'info' | 'warning', message: string): void {
  process.stderr.write(`time="${new Date().toISOString().slice(0, 19)}Z" level=${level} msg=${quoted(message)}\n`)
}

/** k8s.io/klog: month and day, time, process id, source, and a structured message. */
function klog(source: string, message: string, fields: Readonly<Record<string, string>>): void {
  const now = new Date().toISOString()
  const time = `${now.slice(5, 7)}${now.slice(8, 10)} ${now.slice(11, 23)}000`
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${quoted(value)}`)
  process.stderr.write(`E${time} ${String(process.pid).padStart(7)} ${source}] ${quoted(message)}${rest.join('')}\n`)
}

const printJson = (value: unknown): void => print(JSON.stringify(value, undefined, 2))

/** Go's encoding/json sorts the keys of maps. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

/** cmd/crictl/util.go, outputStatusData: what a daemon adds is JSON inside of strings, or a string in quotes. */
function printStatus(status: unknown, info: unknown = {}): void {
  const entries = Object.entries(info as Record<string, string>).map(
    ([key, text]) =>
      [key, text.startsWith('{') ? (JSON.parse(text) as unknown) : text.replaceAll(/^"+|"+$/gu, '')] as const,
  )
  printJson(sorted({status, ...Object.fromEntries(entries)}))
}

interface Image {
  readonly id: string
  readonly repoDigests: readonly string[]
  readonly repoTags: readonly string[]
}

async function imageStatus({images}: Call, reference: string, verbose: boolean) {
  const {image, info} = await images('ImageStatus', {image: {image: reference}, verbose})
  return {image: image as Image | undefined, info}
}

/** Each of them is tried; what failed is reported together. */
async function forAll(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(names.map(work))
  const failed = results.filter((one) => one.status === 'rejected').map(({reason}) => (reason as Error).message)
  if (failed.length > 0) throw new Failure(failed.join('\n'))
}

/** Puts the command's words in front of an error of the daemon. */
async function during<T>(words: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof RpcError ? new Failure(`${words}: ${error.message}`) : error
  })
}

interface Command {
  readonly flags: NonNullable<Parameters<typeof parseArgs>[0]>['options']
  run(call: Call): Promise<void>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  imagefsinfo: {
    flags: OUTPUT,
    async run({images}) {
      const {containerFilesystems = [], imageFilesystems = []} = await images('ImageFsInfo')
      printStatus({containerFilesystems, imageFilesystems})
    },
  },
  images: {
    flags: OUTPUT,
    async run({images, names: [filter = '']}) {
      printJson(await during('listing images', images('ListImages', {filter: {image: {image: filter}}})))
    },
  },
  info: {
    flags: OUTPUT,
    async run({runtime}) {
      const {info, status} = await during('getting status of runtime', runtime('Status', {verbose: true}))
      printStatus(status, info)
    },
  },
  inspecti: {
    flags: OUTPUT,
    async run(call) {
      const [reference = ''] = call.names
      const asked = imageStatus(call, reference, true)
      const {image, info} = await during(`image status for ${quoted(reference)} request`, asked)
      if (!image) throw new Failure(`no such image ${quoted(reference)} present`)
      printStatus(image, info)
    },
  },
  pods: {
    flags: OUTPUT,
    async run({runtime}) {
      printJson(await during('listing pod sandboxes', runtime('ListPodSandbox')))
    },
  },
  ps: {
    flags: {...OUTPUT, all: {short: 'a', type: 'boolean'}},
    async run({runtime}) {
      printJson(await during('listing containers', runtime('ListContainers')))
    },
  },
  pull: {
    flags: {},
    async run({images, names: [reference = '']}) {
      const answer = await images('PullImage', {image: {image: reference}}, true).catch((error: unknown) => {
        if (!(error instanceof RpcError)) throw error
        klog('remote_image.go:250', 'PullImage from image service failed', {err: error.message, image: reference})
        // The client library turns an unknown error into its message alone.
        throw new Failure(`pulling image: ${error.code === 'Unknown' ? error.description : error.message}`)
      })
      print(`Image is up to date for ${answer['imageRef'] as string}`)
    },
  },
  rmi: {
    flags: {all: {short: 'a', type: 'boolean'}},
    async run(call) {
      const all = call.flags['all'] ? ((await call.images('ListImages'))['images'] as {id: string}[]) : []
      await forAll([...call.names, ...all.map(({id}) => id)], async (name) => {
        const {image} = await during(`image status request for ${quoted(name)} failed`, imageStatus(call, name, false))
        if (!image) throw new Failure(`no such image ${name}`)
        if (image.repoTags.length > 1 && !name.startsWith('sha256:') && /[:/]/u.test(name)) {
          const warning = 'has multiple tags. Removing this image will delete all of the following tags:'
          log('warning', `Image ${quoted(name)} ${warning}`)
          for (const tag of image.repoTags) log('warning', `  ${tag}`)
        }

        await during(`error of removing image ${quoted(name)}`, call.images('RemoveImage', {image: {image: name}}))
        const deleted = image.repoTags.length > 0 ? image.repoTags : image.repoDigests
        for (const one of deleted) print(`Deleted: ${one}`)
      })
    },
  },
  rmp: {
    flags: {all: {short: 'a', type: 'boolean'}, force: {short: 'f', type: 'boolean'}},
    async run({flags, names, runtime}) {
      const all = flags['all'] ? ((await runtime('ListPodSandbox'))['items'] as {id: string}[]) : []
      const ids = [...names, ...all.map(({id}) => id)]
      if (ids.length === 0) return log('info', 'No pods to remove')
      await forAll(ids, async (podSandboxId) => {
        const asked = runtime('PodSandboxStatus', {podSandboxId})
        const {status} = await during(`getting sandbox status of pod ${quoted(podSandboxId)}`, asked)
        if ((status as {state: string}).state === 'SANDBOX_READY') {
          if (!flags['force']) throw new Failure(`pod sandbox ${quoted(podSandboxId)} is running, please stop it first`)
          const stopping = runtime('StopPodSandbox', {podSandboxId})
          await during(`stopping the pod sandbox ${quoted(podSandboxId)} failed`, stopping)
          print(`Stopped sandbox ${podSandboxId}`)
        }

        const removing = runtime('RemovePodSandbox', {podSandboxId})
        await during(`removing the pod sandbox ${quoted(podSandboxId)}`, removing)
        print(`Removed sandbox ${podSandboxId}`)
      })
    },
  },
  'runtime-config': {
    flags: {},
    async run({runtime}) {
      await runtime('RuntimeConfig').catch((error: RpcError) => {
        klog('remote_runtime.go:1177', 'RuntimeConfig from runtime service failed', {err: error.message})
        throw new Failure(`get runtime config: call RuntimeConfig RPC: ${error.message}`)
      })
    },
  },
  version: {
    flags: {},
    async run({runtime}) {
      const answer = await during('getting the runtime version', runtime('Version'))
      for (const key of ['version', 'runtimeName', 'runtimeVersion', 'runtimeApiVersion']) {
        print(`${key.replace(/^./u, (letter) => letter.toUpperCase())}:  ${answer[key] as string}`)
      }
    },
  },
}

interface Settings {
  readonly endpoints: Readonly<Record<Service, string>>
  readonly timeoutMs: number
}

/** Variables win over the file (pkg/common/config.go). */
function readSettings(file: string, env: NodeJS.ProcessEnv): Settings {
  const options = parse(readFileSync(file, 'utf8')) as Record<string, string | undefined>
  const runtime = env['CONTAINER_RUNTIME_ENDPOINT'] ?? options['runtime-endpoint'] ?? ''
  const image = env['IMAGE_SERVICE_ENDPOINT'] ?? options['image-endpoint'] ?? runtime
  const seconds = Number(options['timeout'] ?? 0) || DEFAULT_TIMEOUT_S
  return {endpoints: {ImageService: image, RuntimeService: runtime}, timeoutMs: seconds * 1000}
}

/** k8s.io/cri-client: a service is asked before it is used, so that a daemon which is not there is found out. */
function openService({endpoints, timeoutMs}: Settings, service: Service, opened: Cri[]): Ask {
  const endpoint = endpoints[service]
  let connected: Promise<Cri> | undefined
  const connect = async (): Promise<Cri> => {
    const cri = openCri(process.env['CRI_PROTO'] ?? '', endpoint.replace(/^unix:\/\//u, ''), service)
    opened.push(cri)
    const [api, method] = service === 'ImageService' ? ['image', 'ImageFsInfo'] : ['runtime', 'Version']
    const words = `validate service connection: validate CRI v1 ${api} API for endpoint ${quoted(endpoint)}`
    await during(words, cri.ask(method, {}, timeoutMs))
    return cri
  }

  return async (method, request, isPatient = false) =>
    (await (connected ??= connect())).ask(method, request, isPatient ? undefined : timeoutMs)
}

async function main([first, config = '', name = '', ...args]: readonly string[]): Promise<void> {
  const command = COMMANDS[name]
  if (first !== '--config' || !command) throw new Failure('the stand-in for crictl takes --config FILE COMMAND …')
  const {positionals, values} = parseArgs({allowPositionals: true, args, options: {...command.flags}, strict: true})
  const settings = readSettings(config, process.env)
  const opened: Cri[] = []
  try {
    const images = openService(settings, 'ImageService', opened)
    const runtime = openService(settings, 'RuntimeService', opened)
    await command.run({flags: values, images, names: positionals, runtime})
  } finally {
    for (const cri of opened) cri.close()
  }
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof Failure || error instanceof RpcError)) throw error
  log('fatal', error.message)
  process.exitCode = 1
})
