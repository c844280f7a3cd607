/* Stands in for netsh.exe, a stub in Wine: advfirewall firewall add, delete and show rule, stored where Windows stores
   rules, with netsh's exit codes and an English system's texts. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#define RULES L"SYSTEM\\CurrentControlSet\\Services\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules"
#define TEXT_LENGTH 4096
#define MOST_RULES 1024

static const wchar_t *const WORDS[] = {L"action", L"description", L"dir",     L"enable",   L"localport",
                                       L"name",   L"profile",     L"protocol"};
enum { ACTION, DESCRIPTION, DIRECTION, ENABLE, LOCAL_PORT, NAME, PROFILE, PROTOCOL, WORD_COUNT };

static const wchar_t *given[WORD_COUNT];

static int say(int code, const wchar_t *text) {
  wprintf(L"%ls", text);
  return code;
}

static int not_found(int argc, wchar_t **argv) {
  wprintf(L"The following command was not found:");
  for (int at = 1; at < argc; at++) wprintf(L" %ls", argv[at]);
  return say(1, L".\n");
}

static int bad_value(void) { return say(1, L"\nA specified value is not valid.\n\n"); }

static int is_one_of(const wchar_t *value, const wchar_t *one, const wchar_t *other) {
  return _wcsicmp(value, one) == 0 || _wcsicmp(value, other) == 0;
}

/* key=value, the key in any case. */
static int read_word(const wchar_t *word) {
  const wchar_t *equals = wcschr(word, L'=');
  for (int at = 0; equals && at < WORD_COUNT; at++) {
    size_t length = wcslen(WORDS[at]);
    if (length == (size_t)(equals - word) && _wcsnicmp(word, WORDS[at], length) == 0) {
      given[at] = equals + 1;
      return 1;
    }
  }
  return 0;
}

/* One field of a stored rule: |Name=...| */
static const wchar_t *field(const wchar_t *rule, const wchar_t *key, wchar_t *into) {
  wchar_t mark[64];
  *into = 0;
  swprintf(mark, 64, L"|%ls=", key);
  const wchar_t *at = wcsstr(rule, mark);
  if (!at) return into;
  at += wcslen(mark);
  wcsncat(into, at, wcscspn(at, L"|"));
  return into;
}

static int matches(const wchar_t *rule) {
  wchar_t value[TEXT_LENGTH];
  if (_wcsicmp(given[NAME], L"all") != 0 && _wcsicmp(field(rule, L"Name", value), given[NAME]) != 0) return 0;
  if (given[DIRECTION] && _wcsicmp(field(rule, L"Dir", value), given[DIRECTION]) != 0) return 0;
  if (given[LOCAL_PORT] && _wcsicmp(field(rule, L"LPort", value), given[LOCAL_PORT]) != 0) return 0;
  if (!given[PROTOCOL]) return 1;
  return wcscmp(field(rule, L"Protocol", value), _wcsicmp(given[PROTOCOL], L"TCP") == 0 ? L"6" : L"17") == 0;
}

static int add_rule(HKEY rules) {
  wchar_t rule[TEXT_LENGTH], id[64], description[TEXT_LENGTH] = L"", port[64] = L"", *end;
  const wchar_t *protocol = given[PROTOCOL] ? given[PROTOCOL] : L"any";
  const wchar_t *enable = given[ENABLE] ? given[ENABLE] : L"yes";
  const wchar_t *profile = given[PROFILE] ? given[PROFILE] : L"any";
  GUID guid;
  if (!given[DIRECTION] || !given[ACTION]) return bad_value();
  if (!is_one_of(given[DIRECTION], L"in", L"out") || !is_one_of(given[ACTION], L"allow", L"block")) return bad_value();
  if (!is_one_of(protocol, L"TCP", L"UDP") || !is_one_of(enable, L"yes", L"no")) return bad_value();
  /* "all" would match every rule on deletion, and the bar ends a field. Profiles other than all are not needed here. */
  if (_wcsicmp(given[NAME], L"all") == 0 || wcschr(given[NAME], L'|') || _wcsicmp(profile, L"any") != 0)
    return bad_value();
  if (given[LOCAL_PORT]) {
    long number = wcstol(given[LOCAL_PORT], &end, 10);
    if (*end || end == given[LOCAL_PORT] || number < 0 || number > 65535) return bad_value();
    swprintf(port, 64, L"LPort=%ld|", number);
  }
  if (given[DESCRIPTION] && *given[DESCRIPTION]) swprintf(description, TEXT_LENGTH, L"Desc=%ls|", given[DESCRIPTION]);

  int length = swprintf(rule, TEXT_LENGTH, L"v2.29|Action=%ls|Active=%ls|Dir=%ls|Protocol=%d|%lsName=%ls|%ls",
                        _wcsicmp(given[ACTION], L"allow") == 0 ? L"Allow" : L"Block",
                        _wcsicmp(enable, L"yes") == 0 ? L"TRUE" : L"FALSE",
                        _wcsicmp(given[DIRECTION], L"in") == 0 ? L"In" : L"Out",
                        _wcsicmp(protocol, L"TCP") == 0 ? 6 : 17, port, given[NAME], description);
  if (length < 0 || CoCreateGuid(&guid) != S_OK || !StringFromGUID2(&guid, id, 64)) return bad_value();
  if (RegSetValueExW(rules, id, 0, REG_SZ, (const BYTE *)rule, (DWORD)(length + 1) * sizeof(wchar_t))) return 1;
  return say(0, L"Ok.\n\n");
}

static void show(const wchar_t *rule) {
  wchar_t value[TEXT_LENGTH];
  wprintf(L"\n%-38ls%ls\n", L"Rule Name:", field(rule, L"Name", value));
  wprintf(L"----------------------------------------------------------------------\n");
  wprintf(L"%-38ls%ls\n", L"Enabled:", wcscmp(field(rule, L"Active", value), L"TRUE") == 0 ? L"Yes" : L"No");
  wprintf(L"%-38ls%ls\n", L"Direction:", field(rule, L"Dir", value));
  wprintf(L"%-38ls%ls\n", L"Profiles:", L"Domain,Private,Public");
  wprintf(L"%-38ls%ls\n", L"Protocol:", wcscmp(field(rule, L"Protocol", value), L"6") == 0 ? L"TCP" : L"UDP");
  wprintf(L"%-38ls%ls\n", L"LocalPort:", field(rule, L"LPort", value));
  wprintf(L"%-38ls%ls\n", L"Action:", field(rule, L"Action", value));
}

/* Collected first: deleting while enumerating would pass over rules. */
static int each_match(HKEY rules, int deleting) {
  static wchar_t found[MOST_RULES][64];
  wchar_t rule[TEXT_LENGTH], name[64];
  int count = 0;
  for (DWORD at = 0; count < MOST_RULES; at++) {
    DWORD name_length = 64, size = sizeof rule - sizeof(wchar_t), type;
    memset(rule, 0, sizeof rule);
    LSTATUS status = RegEnumValueW(rules, at, name, &name_length, NULL, &type, (BYTE *)rule, &size);
    if (status == ERROR_NO_MORE_ITEMS) break;
    if (status != ERROR_SUCCESS || type != REG_SZ || !matches(rule)) continue;
    wcscpy(found[count++], name);
    if (!deleting) show(rule);
  }
  for (int at = 0; deleting && at < count; at++) RegDeleteValueW(rules, found[at]);
  if (count == 0) return say(1, L"\nNo rules match the specified criteria.\n\n");
  if (deleting) wprintf(L"\nDeleted %d rule(s).", count);
  return say(0, L"\nOk.\n\n");
}

int wmain(int argc, wchar_t **argv) {
  HKEY rules;
  if (argc < 5 || _wcsicmp(argv[1], L"advfirewall") || _wcsicmp(argv[2], L"firewall") || _wcsicmp(argv[4], L"rule"))
    return not_found(argc, argv);
  for (int at = 5; at < argc; at++) {
    if (_wcsicmp(argv[at], L"verbose") == 0 || read_word(argv[at])) continue;
    wprintf(L"\n%ls is not a valid argument for this command.\n", argv[at]);
    return say(1, L"The syntax supplied for this command is not valid. Check help for the correct syntax.\n\n");
  }
  if (!given[NAME])
    return say(1, L"\nOne or more essential parameters were not entered.\n"
                  L"Verify the required parameters, and reenter them.\n\n");
  if (RegCreateKeyExW(HKEY_LOCAL_MACHINE, RULES, 0, NULL, 0, KEY_ALL_ACCESS, NULL, &rules, NULL))
    return say(1, L"The requested operation requires elevation (Run as administrator).\n\n");
  if (_wcsicmp(argv[3], L"add") == 0) return add_rule(rules);
  if (_wcsicmp(argv[3], L"delete") == 0) return each_match(rules, 1);
  if (_wcsicmp(argv[3], L"show") == 0) return each_match(rules, 0);
  return not_found(argc, argv);
}
