// The unhealthy hosts of docs/architecture.md: each is edited as the table says, and setup reports what it says.
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {setupOn} from '../setup/in-process.js'
import {checkWorld} from '../../src/simulator/world-check.js'
import {HostFolder} from '../steps/host-folder.js'

const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
const [, table = ''] = page.split('| key | value | setup reports |')
const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(.*)` \| `(.*)` \| `(.*)` \|$/gm)].map(
  ([, key = '', value = '', id = '']) => ({id, key, value}),
)

test('review U2-25, U2-26: there are ten', () => {
  expect(rows).toHaveLength(10)
})

test.each(rows)('review U2-25, U2-26: $key $value ends in $id', async ({id, key, value}) => {
  const host = await HostFolder.fresh((world) => {
    const [part = '', field] = key.split('.')
    const sick: unknown = JSON.parse(value)
    Object.assign(world, {[part]: field === undefined ? sick : {...world[part as 'os'], [field]: sick}})
    checkWorld(world)
  }, 'ws2025')
  const {result} = await setupOn(host.dir)
  expect({exit: result.exitCode > 0, id: result.error?.id}).toEqual({exit: true, id})
})
