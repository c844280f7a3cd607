// Lines to paste: no word of them ends its quotes.
import {expect, it} from 'vitest'
import {cmdLines, powershellLines} from '../../src/components/foreground.js'

const command = {
  args: ['--a=it’s', "--b=it's", '--c=50 %'],
  environment: {NAME: 'a’; calc; ‘b'},
  program: 'C:\\k\\x.exe',
}

it('PowerShell takes typographic quotes for quotes, too', () => {
  expect(powershellLines(command)).toEqual([
    "$env:NAME = 'a’’; calc; ‘‘b'",
    "& 'C:\\k\\x.exe' '--a=it’’s' '--b=it''s' '--c=50 %'",
  ])
})

it('cmd acts on % inside of quotes', () => {
  expect(cmdLines(command).at(-1)).toBe(`C:\\k\\x.exe "--a=it’s" "--b=it's" ^"--c=50 ^%^"`)
})
