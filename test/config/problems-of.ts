// What is wrong with a configuration that is given.
import type {GivenOptions} from '../../src/config/options/options.js'
import {resolveConfig} from '../../src/config/options/resolve-setup.js'
import {ProblemsError} from '../../src/errors/k8s-win-error.js'

export function problemsOf(given: GivenOptions, dockerHost?: string): ProblemsError {
  try {
    resolveConfig({dockerHost, given})
  } catch (error) {
    if (error instanceof ProblemsError) return error
    throw error
  }

  throw new Error('no problem was found')
}
