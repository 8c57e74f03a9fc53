#!/bin/sh
# A Footsoldiers bot in shell: whenever it can pay for a scout, it builds one next to its base
# and sends it to the enemy's base.
echo Ready
turn=0
while IFS= read -r view; do
    turn=$((turn + 1))
    case $view in
    '{"you":"player1"'*) echo "Build Scout (3, $((turn % 7))) (65, 3) Right" ;;
    *) echo "Build Scout (63, $((turn % 7))) (1, 3) Left" ;;
    esac
done
