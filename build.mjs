// Bundles src into dist with esbuild, and renders the pages of help, so that both are there without loading anything else.
import {mkdir, rm, writeFile} from 'node:fs/promises'
import {bundlePackage} from './packaging/bundle-package.mjs'
import {root} from './packaging/esbuild-options.mjs'

const HELP_COLUMNS = '80'
/** Groups of flags on a command's first page of help: the common flags have none. */
const COMMON = [undefined, 'GLOBAL', 'UNATTENDED']

await rm(new URL('dist', import.meta.url), {force: true, recursive: true})
await bundlePackage()
await renderHelp()

/** oclif writes the pages once, here, at a fixed width: rendering them at every call would cost more than all the rest. */
async function renderHelp() {
  process.env.OCLIF_COLUMNS = HELP_COLUMNS
  process.env.NO_COLOR = '1'
  const {Config, Help, Plugin, settings} = await import('@oclif/core')
  settings.enableAutoTranspile = false
  // oclif hands ignoreManifest to no plugin by itself, and the manifest may be of before this build.
  const plugin = new Plugin({ignoreManifest: true, isRoot: true, root})
  await plugin.load()
  const plugins = new Map([[plugin.name, plugin]])
  const config = await Config.load({devPlugins: false, plugins, root, userPlugins: false})

  // Without the platform and the Node.js of the machine that builds.
  config.userAgent = `${config.bin}/${config.version}`

  class Page extends Help {
    lines = []

    log(...parts) {
      this.lines.push(parts.join(' '))
    }

    async text(argv) {
      this.lines = []
      await this.showHelp(argv)
      return `${this.lines.join('\n').trimEnd()}\n`
    }
  }

  const folder = new URL('dist/help/', import.meta.url)
  await mkdir(folder, {recursive: true})
  const page = new Page(config, {...config.pjson.oclif.helpOptions, stripAnsi: true})
  const write = (name, text) => writeFile(new URL(`${name.replaceAll(':', '-')}.txt`, folder), text)
  await write('k8s-win', `${await page.text([])}\nUse "k8s-win <command> --help" for the flags of a command.\n`)
  const ids = [...config.commandIDs]
  for (const topic of new Set(ids.filter((id) => id.includes(':')).map((id) => id.split(':')[0]))) {
    await write(topic, await page.text([topic]))
  }
  for (const id of ids) {
    await write(`${id}-all`, await page.text([id]))
    const flags = Object.values(config.findCommand(id).flags)
    const isWhole = flags.every(({helpGroup}) => COMMON.includes(helpGroup))
    for (const flag of isWhole ? [] : flags) {
      flag.hidden = !COMMON.includes(flag.helpGroup)
      // What the page says of environment variables in one sentence.
      delete flag.env
    }
    const hint = isWhole ? '' : `\nUse "k8s-win ${id.replaceAll(':', ' ')} --help-all" for all flags.\n`
    await write(id, `${await page.text([id])}${hint}`)
  }
}
