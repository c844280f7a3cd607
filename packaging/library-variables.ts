// Variables that libraries inside k8s-win.exe read, for their own tests and developers. The loader removes them before any
// library runs: some change where an archive is unpacked to (tar takes the rules of another system for its paths), others
// print what k8s-win keeps out of its output (yaml prints every token of what it parses, oclif its command line).

export const REMOVED: readonly string[] = [
  'CLI_FLAGS_DEBUG',
  'DEBUG',
  'LOG_STREAM',
  'LOG_TOKENS',
  'NODE_ENV',
  'OSTYPE',
  'TESTING_TAR_FAKE_PLATFORM',
  '__FAKE_FS_O_FILENAME__',
  '__FAKE_PLATFORM__',
]

/** What k8s-win itself documents is read from a table (src/config/options/options.ts); these are named in code. */
export const OBEYED: readonly string[] = [
  // Documented options.
  ...['DOCKER_HOST', 'KUBECONFIG'],
  // How a terminal shows text.
  ...['CI', 'OCLIF_COLUMNS', 'TERM', 'TERM_PROGRAM', 'TMUX', 'WT_SESSION'],
  // Folders and shells that oclif only names in its configuration, of which k8s-win uses nothing; and warnings of oclif's.
  ...['COMSPEC', 'HOME', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'SHELL', 'USER', 'USERPROFILE'],
  ...['OCLIF_DISABLE_LINKED_ESM_WARNING', 'OCLIF_DISABLE_RC', 'OCLIF_NEXT_VERSION'],
  // How execa finds a program that has no folder in its name; k8s-win starts programs by their absolute paths.
  ...['PATH', 'PATHEXT', 'comspec'],
]
