// Completion for PowerShell, from the same manifest as the pages of help.

interface Flag {
  readonly description?: string
  readonly hidden?: boolean
  readonly options?: readonly string[]
  readonly summary?: string
  /** "option" has a value, "boolean" has none. */
  readonly type?: string
}

export interface Manifest {
  readonly commands: Readonly<
    Record<
      string,
      {readonly flags: Readonly<Record<string, Flag>>; readonly hidden?: boolean; readonly summary?: string}
    >
  >
}

/** PowerShell 5.1 reads a file without a byte order mark in the system's code page: hence ASCII only. */
export function completionScript({commands}: Manifest): string {
  const rows = Object.entries(commands)
    .filter(([, {hidden}]) => hidden !== true)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, {flags, summary}]) => {
      const shown = Object.entries(flags).filter(([, {hidden}]) => hidden !== true)
      const lines = shown.map(([flag, about]) => `            ${row(`--${flag}`, about)}`)
      const name = id.replaceAll(':', ' ')
      return `        ${quoted(name)} = @{ Tip = ${tip(summary, name)}; Flags = @(\n${lines.join('\n')}\n        ) }`
    })
  return `${HEAD}${rows.join('\n')}${TAIL}`
}

function row(name: string, {description, options = [], summary, type}: Flag): string {
  const text = tip(summary ?? description, name)
  const choices = type === 'option' ? `@(${options.map(quoted).join(', ')})` : '$null'
  return `@{ Name = ${quoted(name)}; Tip = ${text}; Choices = ${choices} }`
}

/** The first line. PowerShell refuses an empty one. */
const tip = (text: string | undefined, name: string): string => quoted(text?.split('\n')[0]?.trim() || name)

const quoted = (text: string): string => `'${text.replaceAll(/[^ -~]/g, '?').replaceAll("'", "''")}'`

const HEAD = `# Completion of k8s-win for PowerShell, generated from oclif.manifest.json. Load it in the profile: . .\\k8s-win-completion.ps1
Register-ArgumentCompleter -Native -CommandName @('k8s-win', 'k8s-win.exe', 'k8s-win.cmd') -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $commands = @{
`

/**
 * The word before the cursor is complete if it ends before the cursor. Where nothing is found, as for the value of
 * --config, PowerShell completes file names.
 */
const TAIL = `
    }
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    $command = $null
    foreach ($length in @(2, 1)) {
        if ($words.Count -lt $length) { continue }
        $name = $words[0..($length - 1)] -join ' '
        if ($commands.ContainsKey($name)) { $command = $commands[$name]; break }
    }
    if ($null -eq $command) {
        $start = ($words | ForEach-Object { "$_ " }) -join ''
        $found = @($commands.Keys | Sort-Object | Where-Object { $_.StartsWith($start) } | ForEach-Object {
            @{ Name = $_.Substring($start.Length).Split(' ')[0]; Tip = $commands[$_].Tip }
        })
    } else {
        $flag = $command.Flags | Where-Object { $_.Name -eq $words[-1] }
        if ($null -ne $flag -and $null -ne $flag.Choices) {
            $found = @($flag.Choices | ForEach-Object { @{ Name = $_; Tip = $flag.Tip } })
        } else {
            $found = $command.Flags
        }
    }
    $seen = @{}
    foreach ($one in $found) {
        if ($seen.ContainsKey($one.Name)) { continue }
        if (-not $one.Name.StartsWith($wordToComplete, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        $seen[$one.Name] = $true
        [System.Management.Automation.CompletionResult]::new($one.Name, $one.Name, 'ParameterValue', $one.Tip)
    }
}
`
