// Where Windows searches for the DLLs that a program imports. By default it begins with the program's own folder, so that a
// DLL beside k8s-win.exe would run with the rights of an administrator: only the names in KnownDLLs are exempt, and WINMM,
// dbghelp, IPHLPAPI, USERENV and CRYPT32, which Node.js imports, are not among them.
// Format: Microsoft's IMAGE_LOAD_CONFIG_DIRECTORY64; "DEPENDENTLOADFLAG" of its linker writes the same field.
import {AT, fileOffset, layoutOf} from './pe-layout.js'

/** Of the load configuration. */
const DEPENDENT_LOAD_FLAGS_AT = 0x4e
/** LOAD_LIBRARY_SEARCH_SYSTEM32: imports come from Windows' own folder and from nowhere else (Windows 10 1607 and newer). */
export const SEARCH_SYSTEM32 = 0x08_00

/** Changes the program. */
export function importFromSystemOnly(program: Buffer): void {
  const {optional, sections} = layoutOf(program)
  const at = fileOffset(sections, program.readUInt32LE(optional + AT.loadConfiguration))
  // The directory begins with its own size.
  if (at === undefined || program.readUInt32LE(at) < DEPENDENT_LOAD_FLAGS_AT + 2) {
    throw new Error('the program has no load configuration with flags for its imports')
  }
  program.writeUInt16LE(SEARCH_SYSTEM32, at + DEPENDENT_LOAD_FLAGS_AT)
}
