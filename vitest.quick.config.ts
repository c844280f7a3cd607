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
      'test/cli/{attach,config,detach,documents,logs,lost-console,planted-code,run-detached,signals,simulated,start-scripts,status,token,userdata}.test.ts',
      'test/cli/run/run-watch.test.ts',
      'test/components/all-releases.test.ts',
      'test/config/any-config-file.test.ts',
      'test/host/{cluster/exec-plugin,secrets/fetch-secret}.test.ts',
      'test/logs/{follow,read-logs}.test.ts',
      'test/machine/real/**/{http-limit,kept-connections,pattern-match,remove-by-handle,run}.test.ts',
      'test/output/**/{fixed-texts,four-views,linear-time}.test.ts',
      'test/pipeline/**/{blame-skipped,find-owned,journal-guard,kubelet-store,lost-journal,memo,recorded-by-setup,stalled-transfer,unproven}.test.ts',
      'test/preflight/newer-releases.test.ts',
      'test/simulator/**/{certificate-year,conformance,kubelet-bootstrap,kubelet-containerd,own-files,world-check}.test.ts',
    ],
    include: [
      `test/{${QUICK.join(',')}}/**/*.test.ts`,
      'test/review.test.ts',
      'test/bundle/{assemble,documents,kubeconfigs,logs,readers,updates,zip}.test.ts',
      'test/health/node.test.ts',
      'test/readme/{first-screen,links}.test.ts',
      'test/reset/reset.test.ts',
      'test/runs/**/{configuration,explain,flannel-manifest,run-lock,status,stored-problems,watch-status}.test.ts',
      'test/steps/base-dir.test.ts',
    ],
  },
}
