// A Docker build context: a tar of a few small files, the same bytes each time.
import {writeTar} from '../machine/tar.js'

export const buildContext = (files: Readonly<Record<string, string>>): Buffer =>
  writeTar(
    Object.entries(files).map(([name, text]) => ({content: Buffer.from(text), name})),
    0o644,
  )
