// The inner loop: everything that is quick, and one of each of the long rows. npm test runs all.
import whole from './vitest.config.js'

const QUICK = [
  'artifacts',
  'cli',
  'components',
  'config',
  'doctor',
  'errors',
  'host',
  'lint',
  'logs',
  'machine',
  'output',
  'pipeline',
  'preflight',
  'signatures',
  'simulator',
]

export default {
  ...whole,
  test: {
    ...whole.test,
    exclude: [
      'test/cli/{attach,config,documents,logs,lost-console,planted-code,run-detached,signals,simulated,start-scripts,status}.test.ts',
      'test/config/any-config-file.test.ts',
      'test/host/cluster/exec-plugin.test.ts',
      'test/logs/{follow,read-logs}.test.ts',
      'test/machine/real/{http-limit,pattern-match}.test.ts',
      'test/output/**/linear-time.test.ts',
      'test/pipeline/**/{blame-skipped,find-owned,unproven}.test.ts',
      'test/simulator/**/{certificate-year,own-files}.test.ts',
    ],
    include: [
      `test/{${QUICK.join(',')}}/**/*.test.ts`,
      'test/review.test.ts',
      'test/bundle/{assemble,documents,kubeconfigs,logs,readers,updates,zip}.test.ts',
      'test/health/node.test.ts',
      'test/readme/{first-screen,links}.test.ts',
      'test/reset/reset.test.ts',
      'test/runs/**/{configuration,explain,flannel-manifest,logs,run-lock,status,stored-problems,watch-status}.test.ts',
      'test/setup/dry-run.test.ts',
      'test/steps/base-dir.test.ts',
    ],
  },
}
