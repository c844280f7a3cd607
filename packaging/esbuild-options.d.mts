// The types of esbuild-options.mjs, which build.mjs uses without a compiler.
import type {BuildOptions, Plugin} from 'esbuild'

export const COMMON_OPTIONS: BuildOptions
export const EXTERNAL: string[]
export function commandTable(load: 'import' | 'static'): Plugin
export function lazyRequires(): Plugin
export function lessOfGot(): Plugin
export function lessOfOclif(): Plugin
export const root: string
