// Exit code 3: something in the folders of the node, or above them, cannot be trusted. Nothing was changed.
import {defineError} from './define.js'
import {pastedPath} from './pasted.js'

export const linkInTheWay = defineError<{path: string}>('LINK_IN_THE_WAY', 3, {
  cause: 'It is a link, a junction or a mount point: whoever can change it decides what is written and run there.',
  fix: 'Replace it with a regular file or folder, or pass the target folder to --base-dir.',
  message: (p) => `${p.path} is a link`,
})

export const fileInTheWay = defineError<{path: string}>('FILE_IN_THE_WAY', 3, {
  cause: 'It is a file; a folder is expected.',
  fix: (p) => `Move ${p.path} elsewhere and run the same command again.`,
  message: (p) => `${p.path} is not a folder`,
})

export const folderLocked = defineError<{path: string}>('FOLDER_LOCKED', 3, {
  cause: 'Its access control list denies access even to administrators.',
  fix: (p) =>
    `If it is not in use, take ownership ('takeown /a /f ${pastedPath(p.path)}', then 'icacls ${pastedPath(p.path)} /reset') and run the same command again.`,
  message: (p) => `The access control list of ${p.path} cannot be read`,
})

/** Also for a folder that would be restricted: a program that has opened it keeps its access. */
export const folderOpen = defineError<{accounts: string; path: string}>('PARENT_OPEN_TO_OTHERS', 3, {
  cause: (p) =>
    `${p.accounts} can rename, delete or take ownership of it or its contents, and so replace files that are used with the rights of an administrator or of SYSTEM. Changing its access control list is not sufficient: a program that has already opened the folder keeps its access.`,
  fix: (p) =>
    `As an administrator, rename it ('ren ${pastedPath(p.path)} <new name>'), create a new one ('mkdir ${pastedPath(p.path)}') and copy back only files that you have checked; or use a folder elsewhere. Then run the same command again.`,
  message: (p) => `${p.path} can be changed by accounts other than administrators`,
})

export const foreignLibrary = defineError<{path: string}>('FOREIGN_LIBRARY', 3, {
  cause:
    'Windows looks for libraries, and for files that redirect to others, beside a program first: it would be loaded into a program that runs as an administrator or as SYSTEM.',
  fix: (p) => `Move ${p.path} elsewhere and run the same command again.`,
  message: (p) => `${p.path} is beside a program that runs as an administrator or as SYSTEM`,
})

export const plantedProgram = defineError<{accounts: string; path: string}>('PLANTED_PROGRAM', 3, {
  cause: (p) =>
    `${p.accounts} may have created or changed it, and its folder is searched for programs: it would run with the rights of the caller.`,
  fix: (p) => `Remove ${p.path}, or move it elsewhere, and run the same command again.`,
  message: (p) => `${p.path} cannot be trusted`,
})

export const stateOpen = defineError<{accounts: string; folder: string; path: string}>('STATE_OPEN_TO_OTHERS', 3, {
  cause: (p) =>
    `${p.accounts} may have changed it, and k8s-win relies on its contents: which programs were verified, and what to remove.`,
  fix: (p) =>
    `If only you set up this node, restrict it to administrators ('icacls ${pastedPath(p.path)} /setowner *S-1-5-32-544' and 'icacls ${pastedPath(p.path)} /reset'); otherwise remove ${p.folder}. Then run the same command again.`,
  message: (p) => `The records of k8s-win cannot be trusted: ${p.path}`,
})

export const untrustedFile = defineError<{accounts: string; path: string}>('UNTRUSTED_FILE', 3, {
  cause: (p) =>
    `${p.accounts} may have written or replaced it, and it would be used with the rights of an administrator or of SYSTEM.`,
  fix: (p) =>
    `Check its contents. Then either remove it, or restrict it to administrators ('icacls ${pastedPath(p.path)} /setowner *S-1-5-32-544', then 'icacls ${pastedPath(p.path)} /inheritance:r /grant:r *S-1-5-18:F *S-1-5-32-544:F'), and run the same command again.`,
  message: (p) => `${p.path} cannot be trusted`,
})

export const hardLink = defineError<{path: string}>('HARD_LINK', 3, {
  cause:
    'The file has another name somewhere else (a hard link): reading or writing one is reading or writing the other.',
  fix: (p) =>
    `Find its other names ('fsutil hardlink list ${pastedPath(p.path)}'). Replace it with a copy, or remove it, and run the same command again.`,
  message: (p) => `${p.path} is a hard link`,
})

export const remotePath = defineError<{path: string}>('REMOTE_PATH', 3, {
  cause: 'It is on another computer or a device, which controls its contents, and Windows would log on there.',
  fix: 'Copy the file to a folder on this computer that only administrators can change, and pass that path.',
  message: (p) => `${p.path} is not on a drive of this computer`,
})

/** With the message of what is wrong: where the check of the folders reports the same, it is one problem. */
export const kubeconfigUntrusted = defineError<{advice: string; kubeconfig: string; problem: string; reason: string}>(
  'KUBECONFIG_UNTRUSTED',
  3,
  {
    cause: (p) =>
      `${p.reason} It is the kubeconfig ${p.kubeconfig}, a parent folder, or a file that it refers to; it is not used.`,
    fix: (p) => p.advice,
    message: (p) => p.problem,
  },
)
