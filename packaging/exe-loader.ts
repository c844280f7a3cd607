// The first file of the single executable, the only one that Node.js itself runs there: it imports the others, which are
// assets. See bundleExe() in exe-bundle.ts.
import {getAsset} from 'node:sea'
import {compileFunction} from 'node:vm'
import {REMOVED} from './library-variables.js'

interface Module {
  exports: unknown
}

type Body = (exports: unknown, module: Module, require: typeof load) => void

const modules = new Map<string, Module>()

/** As require: every bundled file imports the others by "./" and their names, and Node.js's own modules. */
function load(name: string): unknown {
  if (!name.startsWith('./')) return builtin(name)
  const known = modules.get(name)
  if (known !== undefined) return known.exports
  const module: Module = {exports: {}}
  // Before it runs: two files may import each other.
  modules.set(name, module)
  const filename = name.slice('./'.length)
  const body = compileFunction(getAsset(filename, 'utf8'), ['exports', 'module', 'require'], {filename}) as Body
  body(module.exports, module, load)
  return module.exports
}

function builtin(name: string): unknown {
  const found: unknown = process.getBuiltinModule(name)
  if (found === undefined) throw new Error(`${name} is not in this executable`)
  return found
}

for (const name of REMOVED) Reflect.deleteProperty(process.env, name)
load('./main.js')
