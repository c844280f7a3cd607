// The base images: which tag fits which build.
import {expect, it} from 'vitest'

import {baseImages, buildOf, tagsOf} from '../../src/components/images.js'
import {exampleNode} from './example.js'

it.each([
  [17_763, {nanoserver: '1809', servercore: 'ltsc2019'}],
  [20_348, {nanoserver: 'ltsc2022', servercore: 'ltsc2022'}],
  [14_393, undefined],
  [0, undefined],
])('build %i has the tags %o', (build, tags) => {
  expect(tagsOf(build)).toEqual(tags)
})

it('are in the registry that was given, by the tags that were chosen', () => {
  const images = baseImages(
    exampleNode({'image-registry': 'mirror.example.com:5000/mcr'}, {nanoserverTag: '10.0.17763.2237'}),
  )
  expect(images).toEqual({
    nanoserver: {
      flag: 'nanoserver-tag',
      reference: 'mirror.example.com:5000/mcr/windows/nanoserver:10.0.17763.2237',
      repository: 'mirror.example.com:5000/mcr/windows/nanoserver',
    },
    servercore: {
      flag: 'servercore-tag',
      reference: 'mirror.example.com:5000/mcr/windows/servercore:ltsc2019',
      repository: 'mirror.example.com:5000/mcr/windows/servercore',
    },
  })
})

it('have a build, the third number', () => {
  expect(buildOf('10.0.17763.2237')).toBe(17_763)
  expect(buildOf('')).toBeNaN()
})
