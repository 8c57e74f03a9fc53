# shellcheck shell=bash disable=SC2154
# What ./run, ./test and tools/setup share. Sourced, never run. The sourcing script sets `root`, the
# absolute path of the tree, and `set -eu`. Nothing here changes the current directory: bots are
# named by paths relative to where the caller stands.

# Says one line to the person at the terminal.
say() {
    printf '%s\n' "$*" >&2
}

# Says why the script gives up, and does.
die() {
    say "$@"
    exit 1
}

# Shows the part of a log that matters: from the first step that failed, or what npm refuses (its usage follows, and is long), else its last
# lines.
show_log() {
    local log=$1
    if grep -q '^FAILED: ' "$log"; then
        awk '/^FAILED: / { found = 1 } found && ++shown <= 40' "$log" >&2
    elif grep -q '^npm \(error\|ERR!\) code E' "$log"; then
        awk '/^npm (error|ERR!) code E/ { found = 1 } found && ++shown <= 20' "$log" >&2
    else
        tail -n 40 -- "$log" >&2
    fi
}

# The files of the tree that match the given git patterns, one a line: tracked ones and new ones not
# yet added, so that a check speaks up before the commit and not after it.
source_files() {
    git -C "$root" ls-files --cached --others --exclude-standard --deduplicate -- "$@" |
        while IFS= read -r file; do
            if [ -f "$root/$file" ]; then printf '%s\n' "$file"; fi
        done
}

# True when build folder NAME is a build with just these options. A folder that somebody configured
# by hand carries no note of its options and is taken as it is.
has_options() {
    local dir=$root/$1
    shift
    [ -f "$dir/build.ninja" ] || return 1
    [ ! -f "$dir/setup-options" ] || [ "$(cat "$dir/setup-options")" = "$*" ]
}

# True when packages came after build folder NAME was configured: only then does meson look for
# libraries.
is_outdated() {
    [ "$root/build/packages-installed" -nt "$root/$1/build.ninja" ]
}

# Configures build folder NAME with these options where that is needed.
configure() {
    local name=$1 dir=$root/$1
    shift
    if has_options "$name" "$@"; then
        if is_outdated "$name"; then meson setup --reconfigure "$dir" "$root"; fi
        return
    fi
    # What is there was made with other options, or was cut short. Begin again, but keep the logs:
    # one of them is being written.
    if [ -d "$dir" ]; then
        find "$dir" -mindepth 1 -maxdepth 1 ! -name '*.log' ! -name test-logs ! -name '.lock-*' \
            -exec rm -rf {} + || return
    fi
    meson setup "$@" "$dir" "$root" || return
    printf '%s' "$*" >"$dir/setup-options"
}

# Configures build folder NAME with these meson options where that is needed, and compiles it, or of it
# only the target that the variable `build_only` names. What meson and ninja say goes to stdout and
# stderr. One build at a time in a folder: two terminals may call ./run at the same moment.
build_into() {
    local name=$1
    shift
    mkdir -p "$root/build"
    (
        flock 9 && configure "$name" "$@" && ninja -C "$root/$name" ${build_only:+"$build_only"}
    ) 9>"$root/build/.lock-$name"
}

# True when build_into NAME OPTIONS would do nothing.
is_up_to_date() {
    has_options "$@" && ! is_outdated "$1" &&
        ninja -C "$root/$1" -n 2>&1 | grep -q '^ninja: no work to do'
}
