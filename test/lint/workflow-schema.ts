// The part of a code host's workflow files that this repository uses, and no more: what is not here is a mistake until it is added.

const strict = (properties: object, required: readonly string[]) => ({
  additionalProperties: false,
  properties,
  required,
  type: 'object',
})

const branches = strict({branches: {items: {type: 'string'}, minItems: 1, type: 'array'}}, ['branches'])
const nothing = {type: 'null'}
// eslint-disable-next-line no-restricted-syntax -- a word of the workflow file, nothing is started here
const defaults = strict({run: strict({shell: {const: 'cmd'}}, ['shell'])}, ['run'])

const step = {
  oneOf: [
    strict({run: {minLength: 1, type: 'string'}}, ['run']),
    strict(
      {
        // By commit, of the code host's own actions: a tag can be moved.
        uses: {pattern: '^actions/(?:checkout|setup-node)@[0-9a-f]{40}$', type: 'string'},
        with: strict({'node-version': {minimum: 22, type: 'integer'}, 'persist-credentials': {const: false}}, []),
      },
      ['uses', 'with'],
    ),
  ],
}

const runner = strict({runner: {items: {type: 'string'}, minItems: 1, type: 'array'}, server: {type: 'integer'}}, [
  'runner',
  'server',
])

const job = strict(
  {
    defaults,
    name: {type: 'string'},
    'runs-on': {const: '${{ matrix.runner }}'},
    steps: {items: step, minItems: 1, type: 'array'},
    strategy: strict(
      {
        'fail-fast': {const: false},
        matrix: strict({include: {items: runner, minItems: 1, type: 'array'}}, ['include']),
      },
      ['fail-fast', 'matrix'],
    ),
    'timeout-minutes': {maximum: 60, minimum: 1, type: 'integer'},
  },
  ['defaults', 'name', 'runs-on', 'steps', 'strategy', 'timeout-minutes'],
)

export const WORKFLOW_SCHEMA = strict(
  {
    jobs: {additionalProperties: job, minProperties: 1, type: 'object'},
    name: {type: 'string'},
    on: strict({push: branches, workflow_call: nothing, workflow_dispatch: nothing}, [
      'push',
      'workflow_call',
      'workflow_dispatch',
    ]),
    permissions: strict({contents: {const: 'read'}}, ['contents']),
  },
  ['jobs', 'name', 'on', 'permissions'],
)
