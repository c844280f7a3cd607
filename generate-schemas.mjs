// Prints the schemas of what k8s-win writes for programs, made from the TypeScript types of these documents.
import {fileURLToPath} from 'node:url'
import {createGenerator} from 'ts-json-schema-generator'

/** By the name of its schema: the file below src, the type in it, the title. */
const DOCUMENTS = {
  bundle: {
    file: 'output/text/bundle-text',
    title: 'logs --bundle: --output json',
    type: 'BundleDocument',
  },
  'bundle-manifest': {
    file: 'bundle/assemble',
    title: 'manifest.json in a support bundle (logs --bundle)',
    type: 'BundleManifest',
  },
  config: {file: 'output/text/config-table', title: 'config show: --output json', type: 'ConfigDocument'},
  doctor: {
    file: 'output/doctor/doctor-document',
    title: 'doctor: --output json, and the result in the last line of --output ndjson',
    type: 'DoctorDocument',
  },
  'doctor-event': {
    file: 'output/doctor/doctor-view',
    title: 'doctor: a line of --output ndjson',
    type: 'DoctorEvent',
  },
  event: {
    file: 'pipeline/run/events',
    title: 'setup, upgrade, reset and verify: a line of --output ndjson; of every command, the line of an error',
    type: 'TimedEvent',
  },
  explanation: {
    file: 'output/text/explanation',
    title: 'explain: --output json (one document per ID), --output ndjson (one per line)',
    type: 'ExplanationDocument',
  },
  health: {file: 'pipeline/run/health-document', title: 'health.json', type: 'HealthDocument'},
  'log-entry': {file: 'output/text/log-text', title: 'logs: a line of --output json and ndjson', type: 'LogLine'},
  'log-folder': {
    file: 'output/text/log-text',
    title: 'logs --path: a line of --output json and ndjson',
    type: 'LogFolderLine',
  },
  machine: {
    file: 'simulator/world',
    title: 'The simulated host of k8s-win (machine.json)',
    type: 'StoredWorld',
  },
  manifest: {file: 'output/text/manifest-text', title: 'manifest: --output json', type: 'ManifestDocument'},
  'manifest-object': {
    file: 'output/text/manifest-text',
    title: 'manifest: a line of --output ndjson',
    type: 'ManifestObject',
  },
  foreground: {
    file: 'output/text/foreground-text',
    title: 'run --print: --output json and ndjson',
    type: 'ForegroundDocument',
  },
  pause: {file: 'output/text/pause-text', title: 'pause and resume: --output json and ndjson', type: 'PauseDocument'},
  report: {file: 'output/report/report-document', title: 'report: --output json', type: 'ReportDocument'},
  result: {
    file: 'pipeline/run/events',
    title:
      'setup, upgrade, reset and verify: --output json, and result.json; of every command, the document of an error',
    type: 'RunResultDocument',
  },
  status: {
    file: 'pipeline/run/status-report',
    title: 'status: --output json, and each line of --output ndjson and --watch',
    type: 'StatusDocument',
  },
  'token-created': {
    file: 'output/text/token-text',
    title: 'token create: --output json and ndjson',
    type: 'CreatedTokenDocument',
  },
  'token-deleted': {
    file: 'output/text/token-text',
    title: 'token delete: --output json and ndjson',
    type: 'DeletedTokenDocument',
  },
  'token-list': {
    file: 'output/text/token-text',
    title: 'token list: --output json and ndjson',
    type: 'TokenListDocument',
  },
  userdata: {
    file: 'runs/userdata/userdata',
    title: 'userdata: --output json and ndjson',
    type: 'UserdataDocument',
  },
  version: {file: 'cli/main', title: '--version --json', type: 'VersionDocument'},
}

const root = fileURLToPath(new URL('.', import.meta.url)).replaceAll('\\', '/')
const files = [...new Set(Object.values(DOCUMENTS).map(({file}) => file))]
const generator = createGenerator({
  additionalProperties: false,
  jsDoc: 'extended',
  path: `${root}src/{${files.join(',')}}.ts`,
  // npm run typecheck does that.
  skipTypeCheck: true,
  topRef: false,
  tsconfig: `${root}tsconfig.json`,
})
const schemas = Object.entries(DOCUMENTS).map(([name, {title, type}]) => {
  const {$schema, ...schema} = generator.createSchema(type)
  return [name, {$schema, $id: `k8s-win/${name}.schema.json`, title, ...schema}]
})

process.stdout.write(JSON.stringify(Object.fromEntries(schemas)))
