// The types of esbuild-options.mjs, which build.mjs reads without a compiler.
import type {BuildOptions, Plugin} from 'esbuild'

export const COMMON_OPTIONS: BuildOptions
export const EXTERNAL: string[]
export function lazyRequires(): Plugin
export const root: string
