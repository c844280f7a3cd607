// Every cloud with every format that it has.
import {USERDATA_ROWS} from '../../src/runs/userdata/clouds.js'

interface Form {
  readonly cloud: keyof typeof USERDATA_ROWS
  readonly format: string
  readonly name: string
  readonly options: readonly string[]
}

export const FORMS: readonly Form[] = Object.entries(USERDATA_ROWS).flatMap(([name, {formats}]) =>
  formats.map((format) => {
    const cloud = name as keyof typeof USERDATA_ROWS
    const volume = cloud === 'hyperv' ? ['--iso', 'win-1.iso'] : []
    return {cloud, format, name: `${cloud}-${format}`, options: ['--format', format, ...volume]}
  }),
)
