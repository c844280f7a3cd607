// The manifest with which scoop installs k8s-win.exe (ScoopInstaller/Scoop, schema.json).
import {createHash} from 'node:crypto'
import packageDocument from '../package.json' with {type: 'json'}

/** `url` is the folder that the release's files are published in. */
export function scoopManifest(exe: Buffer, url: string): string {
  const {description, license, version} = packageDocument
  const {href} = new URL('k8s-win.exe', url.endsWith('/') ? url : `${url}/`)
  const hash = createHash('sha256').update(exe).digest('hex')
  const manifest = {
    version,
    description,
    // GitHub has no page at the address of the folder.
    homepage: new URL('.', href).href.replace(/\/releases\/download\/([^/]+)\/$/, '/releases/tag/$1'),
    license,
    architecture: {'64bit': {hash, url: href}},
    bin: 'k8s-win.exe',
  }
  return `${JSON.stringify(manifest, undefined, 4)}\n`
}
