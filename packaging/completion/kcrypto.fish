# SPDX-License-Identifier: Apache-2.0
# fish completion for kcrypto. All words come from `kcrypto help` and `kcrypto list`, and the drivers from the
# kernel, so there is no list to keep.

# Prints the commands, each with a tab and what it does; with the name of one, its actions and options.
function __kcrypto_words
    kcrypto help $argv 2>/dev/null | awk -v command="$argv" '
        command == "" && /^  [a-z]/ || command != "" && /^  --/ {
            word = $1
            sub(/^ +[^ ]+( [A-Z]+)? +/, "")
            print word "\t" $0
        }
        command != "" && /^usage:/ {
            for (i = 4; i <= NF; i++)
                if ($i ~ /^[a-z]/)
                    print $i
        }'
end

# What may follow the option $argv[2] of the command $argv[1]: the help calls it FILE, DIR, LIST or NAME, and
# ends in the names, if there are only these.
function __kcrypto_value
    kcrypto help $argv[1] 2>/dev/null | awk -v option="$argv[2]" '
        $1 == option && $2 ~ /^[A-Z]+$/ {
            print $2
            if ($2 == "NAME" && sub(/.*: /, "") && gsub(/, /, "\n"))
                print
        }'
end

# Of a list with commas, the last word is completed.
function __kcrypto_list
    set -l done (string match -r '.*,' -- (commandline -ct))
    kcrypto list --all --no-trial 2>/dev/null | awk -v done="$done" '/^$/ { exit } NR > 1 { print done $1 }'
end

function __kcrypto_drivers
    awk '$1 == "driver" && !seen[$3]++ { print $3 }' /proc/crypto 2>/dev/null
end

function __kcrypto_complete
    set -l words (commandline -opc)
    set -l command $words[2]
    set -l value
    if set -l dashes (contains -i -- -- $words)
        set -l line ''
        set -e words[1..$dashes]
        for word in $words
            set line "$line$(string escape -- $word) "
        end
        complete "--do-complete=$line$(commandline -ct)"
        return
    end
    if string match -q -- '--*' $words[-1]
        set value (__kcrypto_value $command $words[-1])
    end
    switch "$value[1]"
        case FILE
            __fish_complete_path (commandline -ct)
        case DIR
            __fish_complete_directories (commandline -ct)
        case LIST
            test $words[-1] != --algorithms; or __kcrypto_list
        case ''
            test "$command" != help; or set command
            __kcrypto_words $command
            test "$command" != selftest; or __kcrypto_drivers
        case '*'
            string join \n -- $value[2..]
    end
end

complete -c kcrypto -f -a '(__kcrypto_complete)'
