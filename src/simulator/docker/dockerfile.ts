// The Dockerfile of a build context, with the classic builder's errors.
import {gunzipSync} from 'node:zlib'

import {readTar} from '../../machine/tar.js'
import {DockerRefusal} from './answer.js'

export interface Instruction {
  readonly keyword: string
  readonly value: string
}

/** Their effect on the image's files is not modelled. */
const KEYWORDS = new Set(
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(' '),
)

export function dockerfileIn(body: Buffer, name: string): string {
  const isGzip = body.length > 2 && body.readUInt16BE(0) === 0x1f_8b
  let entries
  try {
    entries = readTar(isGzip ? gunzipSync(body) : body)
  } catch (error) {
    throw new DockerRefusal(500, (error as Error).message)
  }

  const found = entries.find((entry) => entry.name.replace(/^\.\//, '') === name.replace(/^\.\//, ''))
  if (!found) throw new DockerRefusal(500, `Cannot locate specified Dockerfile: ${name}`)
  if (found.content.length === 0) throw new DockerRefusal(400, `the Dockerfile (${name}) cannot be empty`)
  return found.content.toString('utf8')
}

export function parseDockerfile(text: string): Instruction[] {
  const escape = /^#\s*escape\s*=\s*(\S)/im.exec(text)?.[1] ?? '\\'
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line))
  const joined = lines.join('\n').replaceAll(`${escape}\n`, ' ')
  const instructions = joined.split('\n').flatMap((line) => {
    const [, keyword, value = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? []
    return keyword === undefined ? [] : [{keyword: keyword.toUpperCase(), value}]
  })
  if (instructions.length === 0) throw new DockerRefusal(400, 'failed to parse Dockerfile: file with no instructions')
  for (const [index, {keyword}] of instructions.entries()) {
    if (!KEYWORDS.has(keyword)) {
      throw new DockerRefusal(400, `dockerfile parse error line ${index + 1}: unknown instruction: ${keyword}`)
    }
  }

  if (instructions.find(({keyword}) => keyword !== 'ARG')?.keyword !== 'FROM') {
    throw new DockerRefusal(400, 'no build stage in current context')
  }

  return instructions
}

export function parseLabels(value: string): Record<string, string> {
  const pairs = value.matchAll(/("[^"]*"|[^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)/g)
  const bare = (text: string): string => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text)
  return Object.fromEntries([...pairs].map(([, key = '', text = '']) => [bare(key), bare(text)]))
}
