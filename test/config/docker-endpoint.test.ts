// The pipe of the Docker Engine: the flag, else DOCKER_HOST, else the default; never a remote one.
import {describe, expect, it} from 'vitest'
import {DEFAULT_DOCKER_PIPE, resolveDockerPipe} from '../../src/config/options/parse-option.js'

function resolve(flag?: string, dockerHost?: string): {pipe: string; problems: string[]} {
  const problems: string[] = []
  const pipe = resolveDockerPipe(flag, dockerHost, (problem) => problems.push(`${problem.id}: ${problem.message}`))
  return {pipe, problems}
}

const MINE = String.raw`\\.\pipe\mine`

describe('the pipe', () => {
  it.each([
    {dockerHost: undefined, flag: undefined, pipe: DEFAULT_DOCKER_PIPE},
    {dockerHost: '', flag: undefined, pipe: DEFAULT_DOCKER_PIPE},
    {dockerHost: undefined, flag: 'npipe:////./pipe/docker_engine', pipe: DEFAULT_DOCKER_PIPE},
    {dockerHost: undefined, flag: 'npipe:////./pipe/mine', pipe: MINE},
    {dockerHost: undefined, flag: String.raw`npipe://\\.\pipe\mine`, pipe: MINE},
    {dockerHost: 'npipe:////./pipe/mine', flag: undefined, pipe: MINE},
    {dockerHost: 'npipe:////./pipe/other', flag: 'npipe:////./pipe/mine', pipe: MINE},
    {dockerHost: 'tcp://10.0.0.9:2375', flag: 'npipe:////./pipe/mine', pipe: MINE},
  ])('--docker-endpoint $flag, DOCKER_HOST $dockerHost: $pipe', ({dockerHost, flag, pipe}) => {
    expect(resolve(flag, dockerHost)).toEqual({pipe, problems: []})
  })

  it.each([
    'tcp://10.0.0.9:2375',
    'ssh://admin@host',
    'unix:///var/run/docker.sock',
    'npipe:////server/pipe/docker_engine',
    'npipe:////./pipe/',
    'npipe:////./pipe/../other',
    'docker_engine',
  ])('%s is not a local pipe, and it is said where it came from', (endpoint) => {
    expect(resolve(endpoint).problems).toEqual([`REMOTE_DOCKER: --docker-endpoint ${endpoint} is not a local pipe`])
    expect(resolve(undefined, endpoint).problems).toEqual([
      `REMOTE_DOCKER: DOCKER_HOST ${endpoint} is not a local pipe`,
    ])
  })
})
