// What crictl 1.36.0 and ctr printed, asked of a real containerd 1.7.24 (crictl/index.json).
import {readFileSync} from 'node:fs'
import type {RunResult} from '../../src/machine/run.js'

interface Index {
  readonly recordings: readonly {
    readonly command: readonly string[]
    readonly exitCode: number
    readonly name: string
  }[]
}

const FOLDER = new URL('crictl/', import.meta.url)
const {recordings: RECORDINGS} = JSON.parse(readFileSync(new URL('index.json', FOLDER), 'utf8')) as Index

export interface CrictlRecording extends RunResult {
  /** As it was run: program, then arguments. */
  readonly command: readonly string[]
}

export function crictlRecording(name: string): CrictlRecording {
  const found = RECORDINGS.find((one) => one.name === name)
  if (!found) throw new Error(`there is no recording ${name}`)
  const {command, exitCode} = found
  return {command, durationMs: 0, exitCode, stderr: part(`${name}.err`), stdout: part(`${name}.out`)}
}

/** Empty where the program printed nothing there. */
function part(file: string): string {
  try {
    return readFileSync(new URL(file, FOLDER), 'utf8')
  } catch {
    return ''
  }
}
