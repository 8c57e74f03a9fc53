# shellcheck shell=bash disable=SC2154
# Shared by ./run, ./test and tools/setup: source it, do not run it. The sourcing script sets
# `root`, the absolute path of the tree, and `set -eu`. Nothing here changes the current directory,
# because bots are named by paths relative to the caller's.

# Prints a line on standard error.
say() {
    printf '%s\n' "$*" >&2
}

# Prints a message and exits.
die() {
    say "$@"
    exit 1
}

# Shows the part of a log that matters: from the first failed step, or npm's error without the usage
# that follows it, else the last lines.
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

# The files of the tree that match the given git patterns, one per line: tracked ones, and new ones
# that are not added yet, so that checks fail before a commit and not after it.
source_files() {
    git -C "$root" ls-files --cached --others --exclude-standard --deduplicate -- "$@" |
        while IFS= read -r file; do
            if [ -f "$root/$file" ]; then printf '%s\n' "$file"; fi
        done
}

# True if build folder NAME was configured with these options. A folder that was configured by hand
# has no record of its options and is used as it is.
has_options() {
    local dir=$root/$1
    shift
    [ -f "$dir/build.ninja" ] || return 1
    [ ! -f "$dir/setup-options" ] || [ "$(cat "$dir/setup-options")" = "$*" ]
}

# True if packages were installed after build folder NAME was configured: meson looks for libraries
# only then.
is_outdated() {
    [ "$root/build/packages-installed" -nt "$root/$1/build.ninja" ]
}

# Configures build folder NAME with these options if needed. lld, if it is installed, links in a
# third of the time of the default linker, and there are more than a hundred programs.
configure() {
    local name=$1 dir=$root/$1 linker=()
    shift
    if [ -z "${CC_LD-}" ] && command -v ld.lld >/dev/null; then linker=(CC_LD=lld); fi
    if has_options "$name" "$@"; then
        if is_outdated "$name"; then meson setup --reconfigure "$dir" "$root"; fi
        return
    fi
    # Configured with other options, or incompletely. Start over, but keep the logs: one of them is
    # being written.
    if [ -d "$dir" ]; then
        find "$dir" -mindepth 1 -maxdepth 1 ! -name '*.log' ! -name test-logs ! -name '.lock-*' \
            -exec rm -rf {} + || return
    fi
    env "${linker[@]}" meson setup "$@" "$dir" "$root" || return
    printf '%s' "$*" >"$dir/setup-options"
}

# Configures build folder NAME with these meson options if needed, and builds it, or only the target
# in the variable `build_only`. One build at a time in a folder: two terminals may call ./run at the
# same moment.
build_into() {
    local name=$1
    shift
    mkdir -p "$root/build"
    (
        flock 9 && configure "$name" "$@" && ninja -C "$root/$name" ${build_only:+"$build_only"}
    ) 9>"$root/build/.lock-$name"
}

# True if build_into NAME OPTIONS would do nothing.
is_up_to_date() {
    has_options "$@" && ! is_outdated "$1" &&
        ninja -C "$root/$1" -n 2>&1 | grep -q '^ninja: no work to do'
}
