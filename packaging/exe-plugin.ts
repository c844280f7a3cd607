// oclif's view of k8s-win inside the single executable: it would look for package.json, the manifest and the commands on disk.
import path from 'node:path'
import type {Command, Interfaces} from '@oclif/core'
// exe-bundle.ts writes it: the module of each command, by the command's ID.
import {COMMANDS} from 'k8s-win:commands'
import manifest from '../oclif.manifest.json' with {type: 'json'}
import packageDocument from '../package.json' with {type: 'json'}

export function exePlugin(): Interfaces.Plugin {
  const {name, version} = packageDocument
  const findCommand = async (id: string): Promise<Command.Class> => {
    const load = COMMANDS[id]
    if (load === undefined) throw new Error(`${id} is in oclif.manifest.json and not in this executable`)
    const {default: command} = await load()
    return Object.assign(command, {id, plugin})
  }
  const plugin = {
    _base: name,
    alias: name,
    commandIDs: Object.keys(manifest.commands),
    commands: Object.entries(manifest.commands).map(([id, command]) => ({
      ...command,
      load: async () => findCommand(id),
      pluginType: 'core',
    })),
    commandsDir: undefined,
    findCommand,
    hasManifest: true,
    hooks: {},
    isRoot: true,
    load: async () => {},
    moduleType: 'commonjs',
    name,
    options: {root: path.dirname(process.execPath)},
    pjson: packageDocument,
    root: path.dirname(process.execPath),
    topics: Object.entries(packageDocument.oclif.topics).map(([topic, texts]) => ({...texts, name: topic})),
    type: 'core',
    valid: true,
    version,
  }
  // The manifest's JSON has wider types than oclif's own.
  return plugin as unknown as Interfaces.Plugin
}
