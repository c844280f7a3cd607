// Exit code 3: something in the folders of the node, or above them, cannot be trusted. Nothing was changed.
import {defineError} from './define.js'

export const linkInTheWay = defineError('LINK_IN_THE_WAY', 3, {
  cause: 'It is a link, a junction or a mount point: whoever can change it decides what is written and run there.',
  fix: 'Replace it with a regular file or folder, or pass the target folder to --base-dir.',
  message: '{path} is a link',
})

export const fileInTheWay = defineError('FILE_IN_THE_WAY', 3, {
  cause: 'It is a file; a folder is expected.',
  fix: 'Move {path} elsewhere and run the same command again.',
  message: '{path} is not a folder',
})

export const folderLocked = defineError('FOLDER_LOCKED', 3, {
  cause: 'Its access control list denies access even to administrators.',
  fix: "If it is not in use, take ownership ('takeown /a /f {path:path}', then 'icacls {path:path} /reset') and run the same command again.",
  message: 'The access control list of {path} cannot be read',
})

/** Also for a folder that would be restricted: a program that has opened it keeps its access. */
export const folderOpen = defineError('PARENT_OPEN_TO_OTHERS', 3, {
  cause:
    '{accounts} can rename, delete or take ownership of it or its contents, and so replace files that are used with the rights of an administrator or of SYSTEM. Changing its access control list is not sufficient: a program that has already opened the folder keeps its access.',
  fix: "As an administrator, rename it ('ren {path:path} <new name>'), create a new one ('mkdir {path:path}') and copy back only files that you have checked; or use a folder elsewhere. Then run the same command again.",
  message: '{path} can be changed by accounts other than administrators',
})

export const foreignLibrary = defineError('FOREIGN_LIBRARY', 3, {
  cause:
    'Windows looks for libraries, and for files that redirect to others, beside a program first: it would be loaded into a program that runs as an administrator or as SYSTEM.',
  fix: 'Move {path} elsewhere and run the same command again.',
  message: '{path} is beside a program that runs as an administrator or as SYSTEM',
})

export const plantedProgram = defineError('PLANTED_PROGRAM', 3, {
  cause:
    '{accounts} may have created or changed it, and its folder is searched for programs: it would run with the rights of the caller.',
  fix: 'Remove {path}, or move it elsewhere, and run the same command again.',
  message: '{path} cannot be trusted',
})

export const stateOpen = defineError('STATE_OPEN_TO_OTHERS', 3, {
  cause:
    '{accounts} may have changed it, and k8s-win relies on its contents: which programs were verified, and what to remove.',
  fix: "If only you set up this node, restrict it to administrators ('icacls {path:path} /setowner *S-1-5-32-544' and 'icacls {path:path} /reset'); otherwise remove {folder}. Then run the same command again.",
  message: 'The records of k8s-win cannot be trusted: {path}',
})

export const untrustedFile = defineError('UNTRUSTED_FILE', 3, {
  cause:
    '{accounts} may have written or replaced it, and it would be used with the rights of an administrator or of SYSTEM.',
  fix: "Check its contents. Then either remove it, or restrict it to administrators ('icacls {path:path} /setowner *S-1-5-32-544', then 'icacls {path:path} /inheritance:r /grant:r *S-1-5-18:F *S-1-5-32-544:F'), and run the same command again.",
  message: '{path} cannot be trusted',
})

export const hardLink = defineError('HARD_LINK', 3, {
  cause:
    'The file has another name somewhere else (a hard link): reading or writing one is reading or writing the other.',
  fix: "Find its other names ('fsutil hardlink list {path:path}'). Replace it with a copy, or remove it, and run the same command again.",
  message: '{path} is a hard link',
})

export const remotePath = defineError('REMOTE_PATH', 3, {
  cause: 'It is on another computer or a device, which controls its contents, and Windows would log on there.',
  fix: 'Copy the file to a folder on this computer that only administrators can change, and pass that path.',
  message: '{path} is not on a drive of this computer',
})

/** With the message of what is wrong: where the check of the folders reports the same, it is one problem. */
export const kubeconfigUntrusted = defineError('KUBECONFIG_UNTRUSTED', 3, {
  cause: '{reason} It is the kubeconfig {kubeconfig}, a parent folder, or a file that it refers to; it is not used.',
  fix: '{advice}',
  message: '{problem}',
})

export const metricsFileRefused = defineError('METRICS_FILE_REFUSED', 3, {
  cause:
    '{reason}. k8s-win writes the file with the rights of SYSTEM, so only administrators may be able to write to its folder.',
  fix: 'Create the folder, let only administrators write to it, and run the command again; or pass to --metrics-file a file in such a folder.',
  message: 'The metrics file {path} cannot be written',
})
