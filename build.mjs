// Bundles src into dist with esbuild, and renders the pages of help, so that both are there without loading anything else.
import {mkdir, rm, writeFile} from 'node:fs/promises'
import {bundlePackage} from './packaging/bundle-package.mjs'
import {root} from './packaging/esbuild-options.mjs'

const HELP_COLUMNS = '80'
/** The flags of a command that has all of them on one page. */
const COMMON = [undefined, 'GLOBAL']
/** Of the flags of all commands, those that are on the first page of a command that has two. */
const FIRST = ['output', 'simulate']
const FIRST_EXAMPLES = 3
/** Named there: whoever lets a launcher run it has to find these. */
const UNATTENDED = ['--enable-features', '--allow-restart', '--detach', '--launcher']

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
      // An example is one line, to be copied: a "\\" at its end means nothing to the shells of Windows.
      return `${this.lines
        .join('\n')
        .replaceAll(/ \\\n +/g, ' ')
        .trimEnd()}\n`
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
    const command = config.findCommand(id)
    const flags = Object.values(command.flags)
    if (flags.every(({helpGroup}) => COMMON.includes(helpGroup))) await write(id, await page.text([id]))
    else await write(id, await firstPage(id, command, page))
  }
}

/** Of a command with many flags: usage, those that most people need, in a sentence each, and three examples. */
async function firstPage(id, command, page) {
  const hasVariables = Object.values(command.flags).some(({env, helpGroup}) => env && helpGroup !== 'GLOBAL')
  const unattended = UNATTENDED.filter((name) => name.slice(2) in command.flags)
  for (const flag of Object.values(command.flags)) {
    flag.hidden = flag.helpGroup !== undefined && !FIRST.includes(flag.name)
    flag.summary = flag.summary.split(/(?<=\.) /)[0]
    // Its formats are in the summary: they would make the column of names wide.
    if (flag.name === 'output') flag.helpValue = '<format>'
    delete flag.env
    delete flag.helpGroup
  }
  delete command.description
  command.examples = command.examples.slice(0, FIRST_EXAMPLES)
  const text = (await page.text([id])).replaceAll(/\n\n(?= )/g, '\n')
  const more = [
    ...('launcher' in command.flags ? [`Unattended: ${unattended.join(', ')}.`] : []),
    `Every flag can also be written as -BaseDir${hasVariables ? ', or set as K8S_WIN_BASE_DIR' : ''}.`,
    `Use "k8s-win ${id.replaceAll(':', ' ')} --help-all" for all flags and exit codes.`,
  ]
  return `${text}\n${more.join('\n')}\n`
}
