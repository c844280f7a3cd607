// One status asks no question twice: what several checks and steps need is read once.
import {expect, it} from 'vitest'
import type {Effect} from '../../src/machine/intercept.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {statusOn} from './status-on.js'

/** Whose a pipe or a port is, is asked for each opening (review S2-7, A3-1). */
const REPEATED = ['peerProcess', 'pipeServer', 'portOwners']
const MOST_CRICTL = 7

const questionOf = ({args, detail, via, what}: Effect): string => JSON.stringify([via, what, detail, ...args])

it.each(['ws2022-containerd', 'ws2019'])('asks each question once on a healthy node: %s', async (profile) => {
  const node = HostFolder.empty()
  await setupOn(node.dir, {}, {}, profile)
  const {document, effects} = await statusOn(node.dir, {profile})
  expect(document.verdict).toBe('healthy')
  const questions = effects.filter(({what}) => !REPEATED.includes(what)).map(questionOf)
  expect(questions.filter((question, index) => questions.indexOf(question) !== index)).toEqual([])
  const programs = effects.filter(({via}) => via === 'run').map(({what}) => what)
  expect(programs.filter((program) => !program.endsWith('crictl.exe'))).toEqual([])
  expect(programs.length).toBeLessThanOrEqual(MOST_CRICTL)
})
