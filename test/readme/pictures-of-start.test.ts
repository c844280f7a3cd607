// The pictures of README show the run of `npm start`: its steps, in their order, and its result.
import {readFileSync} from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import packageDocument from '../../package.json' with {type: 'json'}
import {splitCommandLine} from '../../src/machine/command-line.js'
import {escaped} from './pictures/svg.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {k8sWin} from '../cli/program.js'
import {temporaryFolder} from '../steps/rig.js'

const picture = (name: string): string =>
  readFileSync(new URL(`../../docs/images/${name}.svg`, import.meta.url), 'utf8')

it('review P3-4: the pictures of README are drawn from the run of npm start', async () => {
  const folder = temporaryFolder()
  const [, , ...args] = splitCommandLine(packageDocument.scripts.start.replace(/^npm run build && /, ''))
  expect(await k8sWin([...args, '--simulate-dir', folder])).toMatchObject({code: 0})
  const file = path.join(folder, 'c', 'k', 'k8s-win', 'result.json')
  const {recap, steps} = JSON.parse(readFileSync(file, 'utf8')) as RunResultDocument
  const run = picture('run')
  expect(run).toContain(`k8s-win ${args.slice(0, args.indexOf('--simulate')).join(' ')}`)
  expect(run).toContain(`k8s-win setup: ${steps.length} steps`)
  expect(run).toContain(`ok=${recap.ok} changed=${recap.changed} skipped=${recap.skipped} failed=${recap.failed}`)
  const timeline = picture('timeline')
  expect(steps.map(({title}) => title).filter((title) => !timeline.includes(escaped(title)))).toEqual([])
})
