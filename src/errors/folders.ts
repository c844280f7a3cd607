// Exit 3: what is in our folders, or above them, cannot be trusted. Nothing was changed.
import {defineError} from './define.js'

export const linkInTheWay = defineError<{path: string}>('LINK_IN_THE_WAY', 3, {
  cause: 'It is a link, a junction or a mount point: what is written or run there is decided by whoever can change it.',
  fix: 'Put a plain file or folder in its place, or give --base-dir the folder it leads to.',
  message: (p) => `${p.path} is a link`,
})

export const fileInTheWay = defineError<{path: string}>('FILE_IN_THE_WAY', 3, {
  cause: 'It is a file, and a folder is wanted there.',
  fix: (p) => `Move ${p.path} away and run the same command again.`,
  message: (p) => `${p.path} is no folder`,
})

export const folderLocked = defineError<{path: string}>('FOLDER_LOCKED', 3, {
  cause: 'Its access list keeps even administrators from looking at it.',
  fix: (p) =>
    `If nothing needs it, take it over ("takeown /a /f "${p.path}"", then "icacls "${p.path}" /reset") and run the same command again.`,
  message: (p) => `The access list of ${p.path} cannot be read`,
})

/** Also of a folder that would be closed: whoever has it open by now keeps the rights that he opened it with. */
export const folderOpen = defineError<{accounts: string; path: string}>('PARENT_OPEN_TO_OTHERS', 3, {
  cause: (p) =>
    `${p.accounts} can rename, delete or take over it, or what is in it, and so replace what is used there with the rights of an administrator or of SYSTEM. To change its access list is not enough: a program may have opened the folder before, and keeps its rights.`,
  fix: (p) =>
    `As an administrator, rename it ("ren "${p.path}" <new name>"), make a new one ("mkdir "${p.path}"") and copy back only files that you have checked; or use a folder elsewhere. Then run the same command again.`,
  message: (p) => `${p.path} is open to others than administrators`,
})

export const foreignLibrary = defineError<{path: string}>('FOREIGN_LIBRARY', 3, {
  cause:
    'Windows looks for libraries, and for files that redirect to others, beside a program first: it would be loaded into what we run as SYSTEM.',
  fix: (p) => `Move ${p.path} elsewhere and run the same command again.`,
  message: (p) => `${p.path} lies beside programs that run as SYSTEM`,
})

export const plantedProgram = defineError<{accounts: string; path: string}>('PLANTED_PROGRAM', 3, {
  cause: (p) =>
    `${p.accounts} can have made or changed it, and programs are looked for in its folder: it would run with the rights of whoever does.`,
  fix: (p) => `Remove ${p.path}, or move it elsewhere, and run the same command again.`,
  message: (p) => `${p.path} cannot be trusted`,
})

export const stateOpen = defineError<{accounts: string; folder: string; path: string}>('STATE_OPEN_TO_OTHERS', 3, {
  cause: (p) =>
    `${p.accounts} can have changed it, and k8s-win believes what it says: which programs were verified, what to remove.`,
  fix: (p) =>
    `If nobody but you set this node up, let only administrators change it ("icacls "${p.path}" /setowner *S-1-5-32-544" and "icacls "${p.path}" /reset"); otherwise remove ${p.folder}. Then run the same command again.`,
  message: (p) => `The records of k8s-win cannot be trusted: ${p.path}`,
})

export const untrustedFile = defineError<{accounts: string; path: string}>('UNTRUSTED_FILE', 3, {
  cause: (p) =>
    `${p.accounts} can have written it or put another file in its place, and it would be used with the rights of an administrator or of SYSTEM.`,
  fix: (p) =>
    `Check its content. Then either remove it, or let only administrators change it ("icacls "${p.path}" /setowner *S-1-5-32-544", then "icacls "${p.path}" /inheritance:r /grant:r *S-1-5-18:F *S-1-5-32-544:F"), and run the same command again.`,
  message: (p) => `${p.path} cannot be trusted`,
})

export const hardLink = defineError<{path: string}>('HARD_LINK', 3, {
  cause:
    'The file has another name somewhere else (a hard link): what is read or written here is read or written there.',
  fix: (p) =>
    `Find its other names ("fsutil hardlink list "${p.path}""). Replace it by a copy, or remove it, and run the same command again.`,
  message: (p) => `${p.path} is a hard link`,
})

export const remotePath = defineError<{path: string}>('REMOTE_PATH', 3, {
  cause: 'It is on another computer or a device: who runs that decides what is read, and Windows would log in there.',
  fix: 'Copy the file to a folder of this computer that only administrators can change, and name it there.',
  message: (p) => `${p.path} is not on a drive of this computer`,
})

/** With the message of what is wrong: where the check of the folders reports the same, it is one problem. */
export const kubeconfigUntrusted = defineError<{advice: string; kubeconfig: string; problem: string; reason: string}>(
  'KUBECONFIG_UNTRUSTED',
  3,
  {
    cause: (p) =>
      `${p.reason} It is the kubeconfig ${p.kubeconfig}, something above it, or something that it names; none of it is used.`,
    fix: (p) => p.advice,
    message: (p) => p.problem,
  },
)
