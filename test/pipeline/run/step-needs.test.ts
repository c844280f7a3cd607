import {describe, expect, it} from 'vitest'
import {boundTo} from '../../../src/pipeline/run/step-needs.js'
import {STEPS} from '../../../src/steps/index.js'

describe('a daemon that still runs', () => {
  it('keeps what it needs and what needs it, and nothing else', () => {
    const bound = boundTo(['kubelet-service'], STEPS)
    expect(bound).toContain('kubernetes-binaries')
    expect(bound).toContain('base-dir')
    expect(bound).toContain('overlay-network')
    expect(bound).not.toContain('machine-environment')
    expect([...boundTo([], STEPS)]).toEqual([])
  })
})
