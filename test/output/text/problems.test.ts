// An error as people read it.
import {expect, it} from 'vitest'
import {errorLines} from '../../../src/output/text/problems.js'
import {printable} from '../../../src/output/text/text-shape.js'

it('review U2: commands stand on a line of their own, whole, however narrow the window is', () => {
  const commands = [
    `kubectl create ${'a'.repeat(80)} --one`,
    'kubectl create clusterrolebinding b --group=system:nodes',
  ]
  const fix = ['Allow it, with an administrator’s kubeconfig, which takes more than one line here:', ...commands].join(
    '\n',
  )
  const error = {cause: 'c', command: null, fix, id: 'NODE_ACCESS_MISSING', message: 'm', url: 'u'}
  const lines = errorLines([error], {clean: printable, width: 40})
  expect(lines.filter((line) => line.includes('kubectl')).map((line) => line.trim())).toEqual(commands)
  expect(lines.filter((line) => !line.includes('kubectl')).every((line) => line.length <= 40)).toBe(true)
})
