// Turns a program's output into text by what it is: UTF-16, UTF-8, or else the console's OEM code page.

/** OEM code pages by the label TextDecoder has for them. */
const LABELS: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [1258, 'windows-1258'],
  [65_001, 'utf-8'],
])

const DEFAULT_TABLE = 437

export async function decodeOutput(bytes: Uint8Array, oemCodePage: () => Promise<number>): Promise<string> {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16(bytes.subarray(2))
  if (looksLikeUtf16(bytes)) return utf16(bytes)
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch {
    return decodeOem(bytes, await oemCodePage())
  }
}

export function decodeOem(bytes: Uint8Array, codePage: number): string {
  const label = LABELS.get(codePage)
  if (label !== undefined) return new TextDecoder(label).decode(bytes)
  // Nothing is decided from such text, so a rare code page may show wrong letters but must not fail.
  const table = OEM_TABLES.get(codePage) ?? OEM_TABLES.get(DEFAULT_TABLE)!
  let text = ''
  for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : table[byte - 0x80]
  return text
}

/** Latin letters, spaces and line ends have a zero in the high byte; no text in another encoding has zeros. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  let high = false
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== 0) continue
    if (index % 2 === 0) return false
    high = true
  }
  return high
}

function utf16(bytes: Uint8Array): string {
  return new TextDecoder('utf-16le').decode(bytes)
}

export const OEM_TABLES: ReadonlyMap<number, string> = new Map([
  [
    437,
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}',
  ],
  [
    850,
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}',
  ],
  [
    852,
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}',
  ],
])
