import {expect, test} from 'vitest'
import {mirrorsOf, reachSettingsOf} from './apt.js'

test('only main archives are mirrors, each once, without a slash at the end', () => {
  const printed = [
    "'http://mirror.example/debian/dists/bookworm/InRelease' mirror.example_debian_dists_bookworm_InRelease 0 ",
    "'http://mirror.example/debian/dists/bookworm-updates/InRelease' mirror.example_debian_x 0 ",
    "'http://mirror.example/debian-security/dists/bookworm-security/InRelease' mirror.example_debian-security_x 0 ",
    "'http://mirror.example/debian//dists/trixie/InRelease' mirror.example_debian_dists_trixie_InRelease 0 ",
    "'https://user:word@other.example/debian/dists/stable/InRelease' other.example_x 0 ",
    "'https://vendor.example/apt/./InRelease' vendor.example_x 0 ",
    '',
  ].join('\n')
  expect(mirrorsOf(printed)).toEqual(['http://mirror.example/debian', 'https://user:word@other.example/debian'])
})

test('of the configuration only what decides how a mirror is reached', () => {
  const dump = [
    'APT::Architecture "amd64";',
    'Acquire::http::Proxy "http://proxy.example:3128";',
    'Acquire::http::Proxy-Auto-Detect "/usr/bin/detect";',
    'Acquire::https::Verify-Peer "true";',
    'Acquire::Check-Valid-Until "false";',
    'Acquire::IndexTargets::deb::Packages::MetaKey "x";',
    'Acquire::Languages:: "none";',
    'DPkg::Post-Invoke:: "rm -f /var/cache/x";',
  ].join('\n')
  expect(reachSettingsOf(dump).split('\n')).toEqual([
    'Acquire::http::Proxy "http://proxy.example:3128";',
    'Acquire::https::Verify-Peer "true";',
    'Acquire::Check-Valid-Until "false";',
    'Acquire::Languages:: "none";',
  ])
})
