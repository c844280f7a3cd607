// The types of bundle-package.mjs, which build.mjs reads without a compiler.
import type {Metafile} from 'esbuild'

export function bundlePackage(options?: {readonly write?: boolean}): Promise<Metafile>
