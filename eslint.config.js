// The house's rules: who may import what, and where time may be asked for. All rules of ESLint and TypeScript themselves are
// oxlint's (.oxlintrc.json), which takes a tenth of the time; test/lint holds what is asked of tests.
import js from '@eslint/js'
import tseslint from 'typescript-eslint'

/** From the top floor down. A file imports from its own folder and from the floors below. */
const FLOORS = [
  ['commands'],
  ['cli'],
  ['runs'],
  ['health'],
  ['steps', 'preflight', 'output', 'bundle'],
  ['pipeline'],
  ['components', 'artifacts', 'logs'],
  ['host'],
  ['signatures'],
  ['config'],
  ['simulator'],
  ['machine'],
  ['errors'],
]

/** Who may import which package. */
const ROOMS = [
  {folders: ['machine'], packages: ['execa', 'got', 'hpagent', 'koffi']},
  {
    folders: ['machine'],
    packages: ['child_process', 'dgram', 'http', 'http2', 'https', 'net', 'tls'].map((name) => `node:${name}`),
  },
  // The simulator keeps its own store.
  {folders: ['machine', 'simulator'], packages: ['node:fs', 'node:fs/promises']},
  {folders: ['artifacts', 'machine'], packages: ['tar']},
  {folders: ['host', 'simulator'], packages: ['smol-toml']},
  {folders: ['pipeline'], packages: ['listr2']},
  {folders: ['output'], packages: ['chalk']},
  {folders: ['commands', 'cli'], packages: ['@oclif/core']},
]

const FOLDERS = FLOORS.flat()
const SIMULATOR = FLOORS.findIndex((names) => names.includes('simulator'))

function importRule(folder) {
  const floor = FLOORS.findIndex((names) => names.includes(folder))
  const above = FLOORS.slice(0, floor + 1)
    .flat()
    .filter((name) => name !== folder)
  const packages = ROOMS.filter((room) => !room.folders.includes(folder)).flatMap((room) => room.packages)
  return [
    'error',
    {
      paths: packages.map((name) => ({message: `src/${folder} may not import ${name}.`, name})),
      patterns: [
        ...(above.length === 0
          ? []
          : [
              {
                message: `src/${folder} imports only from its own folder and the floors below.`,
                regex: String.raw`^(?:\.\./)+(?:${above.join('|')})/`,
              },
            ]),
        ...(floor >= SIMULATOR
          ? []
          : [
              {
                message: 'The simulator has one door: simulator/index.js.',
                regex: String.raw`^(?:\.\./)+simulator/(?!index\.js$)`,
              },
            ]),
        {
          message: 'Built-in modules are imported with the node: prefix.',
          regex:
            '^(?:assert|buffer|child_process|crypto|events|fs|http|https|net|os|path|readline|stream|url|util)(?:/|$)',
        },
      ],
    },
  ]
}

const NO_SHELL = {
  message: 'Programs are run with an array of arguments, never by a shell.',
  selector: 'Property[key.name="shell"]:not([value.value=false])',
}

/** The rule of the floors does not see what is imported later. */
const ONE_DOOR = {
  message: 'The simulator has one door: simulator/index.js.',
  selector: String.raw`ImportExpression[source.value=/\/simulator\/(?!index\.js$)/]`,
}

const NO_TIME = [
  {message: "Ask the machine's clock.", selector: 'MemberExpression[object.name="Date"][property.name="now"]'},
  {message: "Ask the machine's clock.", selector: 'NewExpression[callee.name="Date"][arguments.length=0]'},
  {message: "Ask the machine's clock.", selector: 'ImportDeclaration[source.value=/^(node:)?timers/]'},
]

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'performance'].map((name) => ({
  message: "Ask the machine's clock.",
  name,
}))

export default tseslint.config(
  {ignores: ['dist/', 'coverage/', 'node_modules/', '.k8s-win-sim/', 'test/**/*.ts']},
  {extends: [js.configs.recommended], files: ['**/*.js', '**/*.mjs']},
  {
    files: ['**/*.ts'],
    languageOptions: {parser: tseslint.parser},
    // Comments that turn a rule off are for oxlint, too.
    linterOptions: {reportUnusedDisableDirectives: 'off'},
    rules: {'no-restricted-syntax': ['error', NO_SHELL]},
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-exports': ['error', {restrictDefaultExports: {direct: true}}],
    },
  },
  {files: ['src/commands/**/*.ts'], rules: {'no-restricted-exports': 'off'}},
  ...FOLDERS.map((folder) => ({
    files: [`src/${folder}/**/*.ts`],
    rules: {'no-restricted-imports': importRule(folder)},
  })),
  {
    files: ['src/**/*.ts'],
    ignores: ['src/machine/**', 'src/simulator/**'],
    rules: {
      'no-restricted-globals': ['error', ...TIMERS],
      'no-restricted-syntax': ['error', NO_SHELL, ONE_DOOR, ...NO_TIME],
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {globals: {URL: 'readonly', console: 'readonly', process: 'readonly'}},
  },
)
