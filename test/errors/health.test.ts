// Texts that depend on what they name.
import {expect, test} from 'vitest'
import {runtimeKept} from '../../src/errors/health.js'

test('review P3-5: a restart that ends no pods does not say that it ends "none"', () => {
  const causeOf = (pods: string): string => runtimeKept({pods, service: 'containerd'}).reason
  expect(causeOf('default/web')).toContain('ends the pods of this node: default/web.')
  expect(causeOf('none')).not.toMatch(/ends|: none/)
})
